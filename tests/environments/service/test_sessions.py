"""Sessions on a server: numbers, leases, bounds. Without sockets, on a clock that is set by hand."""

import asyncio
import os

import pytest

ID = "0123456789abcdef0123456789abcdef"


async def steps(app, path, *numbers_and_actions):
    return [await app("POST", f"{path}/step", {"number": n, "action": a}) for n, a in numbers_and_actions]


def test_a_repeated_number_gets_the_recorded_answer_and_acts_once(play_on_app):
    async def play(app):
        path = await app.session()
        first, again = await steps(app, path, (2, "get 1 acacia log"), (2, "get 1 acacia log"))
        (held,) = await steps(app, path, (3, "inventory"))
        return first, again, held

    first, again, held = play_on_app(play)
    assert first.status == again.status == 200
    assert first.body == again.body
    assert held.json["observation"]["text"] == "Inventory: [acacia log] (1)"


def test_a_repeated_reset_begins_nothing_anew(play_on_app):
    async def play(app):
        path = await app.session()
        await steps(app, path, (2, "get 1 acacia log"))
        reset = {"number": 3, "task": "acacia_planks", "seed": 0}
        first = await app("POST", f"{path}/reset", reset)
        again = await app("POST", f"{path}/reset", reset)
        late = await app("POST", f"{path}/reset", {**reset, "number": 1})
        return first, again, late

    first, again, late = play_on_app(play)
    assert first.body == again.body
    assert late.code == "wrong_number"


@pytest.mark.parametrize("number", [1, 4, 2**64 - 1])
def test_old_and_skipped_numbers_are_refused_and_change_nothing(play_on_app, number):
    async def play(app):
        path = await app.session()
        await steps(app, path, (2, "get 1 acacia log"))
        (wrong,) = await steps(app, path, (number, "get 1 acacia log"))
        (held,) = await steps(app, path, (3, "inventory"))
        return wrong, held

    wrong, held = play_on_app(play)
    assert (wrong.status, wrong.code) == (409, "wrong_number")
    assert wrong.json["fields"] == [
        {"field": "body.number", "value": str(number), "allowed": "3; or 2 to repeat the last call as it was"}
    ]
    assert held.json["observation"]["text"] == "Inventory: [acacia log] (1)"


def test_a_repeated_number_with_other_content_is_refused(play_on_app):
    async def play(app):
        path = await app.session()
        return await steps(app, path, (2, "get 1 acacia log"), (2, "get 2 acacia log"))

    _, other = play_on_app(play)
    assert other.code == "wrong_number"
    assert "taken by another call" in other.json["detail"]


def test_concurrent_doubles_act_once(play_on_app):
    """The world is in a worker, so the first call is under way when the others arrive."""

    async def play(app):
        path = await app.session("aio_worlds:Imp", "only")
        doubles = [app("POST", f"{path}/step", {"number": 2, "action": "child"}) for _ in range(5)]
        return await asyncio.gather(*doubles)

    answers = play_on_app(play, workers=1)
    assert {answer.status for answer in answers} == {200}
    assert len({answer.body for answer in answers}) == 1  # each child has a process id of its own


def test_calls_that_arrive_in_order_while_one_is_under_way_are_done_in_order(play_on_app):
    async def play(app):
        path = await app.session("aio_worlds:Imp", "only")
        calls = [app("POST", f"{path}/step", {"number": n, "action": f"say {n}"}) for n in (2, 3, 5, 4)]
        return await asyncio.gather(*calls)

    answers = play_on_app(play, workers=1)
    assert [answer.code for answer in answers] == [None, None, "wrong_number", None]


def test_a_call_whose_answer_is_lost_was_done(play_on_app):
    """The connection ends while the world acts: the request is cancelled, or goes on; either way the repeat tells."""

    async def play(app):
        path = await app.session("aio_worlds:Imp", "only")
        lost = asyncio.ensure_future(app("POST", f"{path}/step", {"number": 2, "action": "child"}))
        await asyncio.sleep(0)
        repeat = await app("POST", f"{path}/step", {"number": 2, "action": "child"})
        return repeat, await lost

    repeat, lost = play_on_app(play, workers=1)
    assert repeat.body == lost.body


def test_a_refused_call_takes_no_number(play_on_app):
    async def play(app):
        made = await app("POST", "/v1/sessions", {"environment": "textcraft"})
        path = f"/v1/sessions/{made.json['session']}"
        (early,) = await steps(app, path, (1, "inventory"))
        unknown = await app("POST", f"{path}/reset", {"number": 1, "task": "acacia_plank", "seed": 0})
        reset = await app("POST", f"{path}/reset", {"number": 1, "task": "acacia_planks", "seed": 0})
        return early, unknown, reset

    early, unknown, reset = play_on_app(play)
    assert (early.status, early.code) == (409, "episode_over")
    assert (unknown.status, unknown.code) == (404, "unknown_task")
    assert "nearest: acacia_planks" in unknown.json["detail"]
    assert reset.status == 200


def test_after_the_end_the_episode_is_over(play_on_app):
    async def play(app):
        path = await app.session()
        return await steps(
            app, path, (2, "get 1 acacia log"), (3, "craft 4 acacia planks using 1 acacia log"), (4, "inventory")
        )

    _, end, over = play_on_app(play)
    assert end.json["terminated"] is True
    assert end.json["reward"] == 1.0
    assert over.code == "episode_over"


def test_creating_twice_with_one_id_opens_one_session(play_on_app):
    async def play(app):
        ask = {"environment": "textcraft", "session": ID}
        first, again = await app("POST", "/v1/sessions", ask), await app("POST", "/v1/sessions", ask)
        other = await app("POST", "/v1/sessions", {**ask, "environment": "aio_worlds:Imp"})
        return first, again, other, await app("GET", "/health")

    first, again, other, health = play_on_app(play)
    assert first.body == again.body
    assert other.code == "bad_request"
    assert health.json["sessions"] == 1


def test_a_lease_ends_a_session_that_nobody_uses(play_on_app, clock):
    async def play(app):
        used, left = await app.session(), await app.session()
        await clock.advance(60)
        (alive,) = await steps(app, used, (2, "inventory"))
        await clock.advance(50)
        (renewed,) = await steps(app, used, (3, "inventory"))
        (expired,) = await steps(app, left, (2, "inventory"))
        return alive, renewed, expired, await app("GET", "/health"), await app("GET", "/metrics")

    alive, renewed, expired, health, metrics = play_on_app(play, lease=100)
    assert alive.status == renewed.status == 200
    assert (expired.status, expired.code) == (404, "unknown_session")
    assert health.json["sessions"] == 1
    assert b'agentgym_expired_sessions_total{environment="textcraft"} 1.0' in metrics.body


def test_asking_for_a_session_renews_its_lease(play_on_app, clock):
    async def play(app):
        path = await app.session()
        for _ in range(5):
            await clock.advance(60)
            state = await app("GET", path)
        return state

    state = play_on_app(play, lease=100)
    assert state.status == 200
    assert (state.json["number"], state.json["lease"]) == (1, 100.0)


def test_an_expired_session_frees_its_world(play_on_app, clock, imp, monkeypatch):
    freed = []
    monkeypatch.setattr(imp.Imp, "_free", lambda world: freed.append(world))

    async def play(app):
        await app.session("aio_worlds:Imp", "only")
        await clock.advance(101)

    play_on_app(play, lease=100)
    assert len(freed) == 1


@pytest.mark.parametrize("action", ["say", "raise"])
def test_a_stopping_server_and_a_fault_close_the_world_once(play_on_app, imp, monkeypatch, action):
    freed = []
    monkeypatch.setattr(imp.Imp, "_free", lambda world: freed.append(world))

    async def play(app):
        await steps(app, await app.session("aio_worlds:Imp", "only"), (2, action))
        return len(freed)

    assert play_on_app(play) == (1 if action == "raise" else 0)
    assert len(freed) == 1


def test_a_stopping_server_ends_its_workers(play_on_app):
    async def play(app):
        await app.session("aio_worlds:Imp", "only")
        return (await app("GET", "/health")).json["workers"]

    pids = play_on_app(play, workers=2)
    assert len(pids) == 2
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


def test_a_thousand_sessions_that_are_dropped_leave_nothing(play_on_app, clock):
    async def play(app):
        for _ in range(1000):
            await app.session()
        held = (await app("GET", "/health")).json["sessions"]
        await clock.advance(101)
        return held, (await app("GET", "/health")).json["sessions"]

    assert play_on_app(play, lease=100) == (1000, 0)


def test_a_session_in_the_middle_of_a_call_does_not_expire(play_on_app, clock):
    async def play(app):
        path = await app.session("aio_worlds:Imp", "only")
        busy = asyncio.ensure_future(app("POST", f"{path}/step", {"number": 2, "action": "say"}))
        await asyncio.sleep(0)
        await clock.advance(150)
        return await busy, await app("GET", path)

    answer, state = play_on_app(play, lease=100, workers=1, step_seconds=1000.0)
    assert answer.status == state.status == 200


def test_a_full_server_is_busy_and_closing_makes_room(play_on_app):
    async def play(app):
        path = await app.session()
        full = await app("POST", "/v1/sessions", {"environment": "textcraft"})
        closed = [await app("DELETE", path) for _ in range(2)]
        return full, closed, await app("POST", "/v1/sessions", {"environment": "textcraft"})

    full, closed, again = play_on_app(play, sessions=1)
    assert (full.status, full.code, full.headers["retry-after"]) == (503, "busy", "1")
    assert [answer.json["closed"] for answer in closed] == [True, False]
    assert again.status == 201


def test_too_many_calls_under_way_are_refused(play_on_app):
    async def play(app):
        paths = [await app.session("aio_worlds:Imp", "only") for _ in range(3)]
        calls = [app("POST", f"{path}/step", {"number": 2, "action": "say"}) for path in paths]
        return await asyncio.gather(*calls)

    answers = play_on_app(play, queue=2, workers=1)
    assert [answer.code for answer in answers] == [None, None, "busy"]
    assert answers[2].headers["retry-after"] == "1"


def test_a_fault_ends_the_session_and_is_told_again(play_on_app):
    async def play(app):
        path = await app.session("aio_worlds:Imp", "only")
        other = await app.session("aio_worlds:Imp", "only")
        answers = await steps(app, path, (2, "raise"), (2, "raise"), (3, "say"))
        return answers, await app("GET", f"{path}/admissible_actions"), await steps(app, other, (2, "say"))

    answers, asked, (fine,) = play_on_app(play)
    assert [(answer.status, answer.code) for answer in [*answers, asked]] == [(500, "environment_fault")] * 4
    assert all("step raised ValueError: a bug in the world" in answer.json["detail"] for answer in answers)
    assert b"Traceback" not in answers[0].body
    assert fine.status == 200


def test_a_killed_worker_costs_its_episodes_a_fault_and_not_the_server(play_on_app):
    async def play(app):
        path = await app.session("aio_worlds:Imp", "only")
        killed = await steps(app, path, (2, "kill"))
        return killed, await steps(app, await app.session("aio_worlds:Imp", "only"), (2, "say"))

    (killed,), (fine,) = play_on_app(play, workers=1)
    assert killed.code == "environment_fault"
    assert "SIGKILL" in killed.json["detail"]
    assert fine.status == 200


def test_a_step_that_hangs_is_a_time_out(play_on_app, clock):
    async def play(app):
        path = await app.session("aio_worlds:Imp", "only")
        hanging = asyncio.ensure_future(app("POST", f"{path}/step", {"number": 2, "action": "hang"}))
        await asyncio.sleep(0)
        await clock.advance(8)
        return await hanging

    hung = play_on_app(play, workers=1, step_seconds=7.0)
    assert (hung.status, hung.code) == (504, "time_out")
    assert "imp: step took longer than 7 s" in hung.json["detail"]


def test_the_oracle_tells_only_where_it_is_allowed(play_on_app):
    async def ask(app):
        return await app("GET", f"{await app.session()}/expert_action")

    assert play_on_app(ask).code == "expert_not_allowed"
    assert play_on_app(ask, allow_expert=True).json["action"]


def test_a_batch_is_what_its_operations_are_alone(play_on_app):
    reset = {"kind": "reset", "number": 1, "task": "acacia_planks", "seed": 0, "session": ID}
    step = {"kind": "step", "session": ID, "number": 2, "action": "get 1 acacia log", "admissible": True}

    async def play(app):
        operations = [
            {"kind": "create", "environment": "textcraft", "session": ID},
            reset,
            step,
            {**step, "number": 9},
            {"kind": "admissible_actions", "session": ID},
            {"kind": "create", "environment": "nothing"},
            {"kind": "close", "session": "nobody"},
        ]
        batch = await app("POST", "/v1/batch", {"operations": operations})
        alone = await app("POST", f"/v1/sessions/{ID}/step", {key: step[key] for key in ("number", "action", "admissible")})
        return batch.json["results"], alone.json

    results, alone = play_on_app(play)
    assert results[0]["answer"]["session"] == ID
    assert results[2] == {"answer": alone, "problem": None}
    assert results[3]["problem"]["code"] == "wrong_number"
    assert results[4]["answer"]["actions"] == alone["admissible"]
    assert results[5]["problem"]["code"] == "unknown_environment"
    assert results[6]["answer"] == {"closed": False}


def test_tasks_come_in_pages(play_on_app):
    async def play(app):
        path = "/v1/environments/textcraft/tasks"
        pages = [await app("GET", path, query=f"split=train&offset={offset}&limit=200") for offset in (0, 200, 400)]
        return [page.json for page in pages]

    pages = play_on_app(play)
    assert [len(page["tasks"]) for page in pages] == [200, 141, 0]
    assert {page["total"] for page in pages} == {341}
