import copy

import gymnasium
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agentgym_rl.environments.spaces import UnicodeText, text_and_image

ANYTHING = st.text(st.characters(exclude_categories=[]))


@given(ANYTHING)
def test_every_string_is_in_it(text):
    assert text in UnicodeText()


@pytest.mark.parametrize("thing", [None, 3, b"bytes", ["a"], np.array(["a"])])
def test_nothing_else_is(thing):
    assert thing not in UnicodeText()


def test_samples_repeat_with_the_seed_and_include_the_empty_string():
    one, two = UnicodeText(seed=1), UnicodeText(seed=1)
    samples = [one.sample() for _ in range(500)]
    assert samples == [two.sample() for _ in range(500)]
    assert all(sample in one for sample in samples)
    assert "" in samples
    assert len(set(samples)) > 400
    assert any(not sample.isascii() for sample in samples)
    one.seed(1)
    assert one.sample() == samples[0]


def test_it_equals_its_kind_and_copies():
    assert UnicodeText(seed=1) == UnicodeText(seed=2)
    assert UnicodeText() != gymnasium.spaces.Text(3)
    assert copy.deepcopy(UnicodeText()) == UnicodeText()


def test_there_is_nothing_to_mask():
    with pytest.raises(ValueError, match="neither mask nor probability"):
        UnicodeText().sample(mask=np.ones(3))


def test_text_and_image():
    space = text_and_image(2, 3, sound=gymnasium.spaces.Box(-1, 1, (4,)))
    image = np.zeros((2, 3, 3), np.uint8)
    assert space.sample() in space
    assert {"text": "", "image": image, "sound": np.zeros(4, np.float32)} in space
    assert {"text": "", "image": image} not in space
    assert {"text": "", "image": image.astype(np.float32), "sound": np.zeros(4, np.float32)} not in space
