import asyncio
import logging

import pytest

from agentgym_rl.environments.aio.ending import ENDING_SECONDS, to_the_end


def test_what_does_not_end_is_waited_for_until_the_deadline(clock, caplog):
    async def play():
        never = asyncio.get_running_loop().create_future()
        waiting = asyncio.ensure_future(to_the_end(never, "process 7"))
        await asyncio.sleep(0)
        clock.advance(ENDING_SECONDS + 0.1)
        await waiting

    with caplog.at_level(logging.WARNING):
        clock.run_until_complete(play())
    assert caplog.messages == ["process 7 has not ended within 10 s"]


@pytest.mark.parametrize("failing", [True, False])
def test_a_cancellation_takes_effect_once_the_work_is_done(failing):
    async def play():
        work = asyncio.get_running_loop().create_future()
        waiting = asyncio.ensure_future(to_the_end(work, "it"))
        for _ in range(3):
            await asyncio.sleep(0)
            waiting.cancel()
        await asyncio.sleep(0)
        assert not waiting.done()
        if failing:
            work.set_exception(OSError("gone"))
        else:
            work.set_result(None)
        with pytest.raises(asyncio.CancelledError):
            await waiting

    asyncio.run(play())
