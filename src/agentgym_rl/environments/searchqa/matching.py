"""Whether an answer is right: the normalisation and measures of open-domain question answering (SQuAD's, as in Search-R1)."""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Sequence

_PUNCTUATION = str.maketrans("", "", string.punctuation)
_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


def normalise(text: str) -> str:
    """Lower case, without ASCII punctuation and articles, white space squeezed."""
    return " ".join(_ARTICLE.sub(" ", text.lower().translate(_PUNCTUATION)).split())


def exact_match(answer: str, golden: Sequence[str]) -> bool:
    """Whether the normalised answer equals a normalised golden one. Nothing matches an answer that normalises to nothing."""
    given = normalise(answer)
    return bool(given) and any(given == normalise(one) for one in golden)


def sub_match(answer: str, golden: Sequence[str]) -> bool:
    """Whether a normalised golden answer stands in the normalised answer. Golden ones that normalise to nothing do not count."""
    given = normalise(answer)
    return any(gold in given for gold in map(normalise, golden) if gold)


def token_f1(answer: str, golden: Sequence[str]) -> float:
    """The best F1 of the normalised tokens over the golden answers; ``yes``, ``no`` and ``noanswer`` only match themselves."""
    return max((_f1(normalise(answer), normalise(one)) for one in golden), default=0.0)


def _f1(given: str, gold: str) -> float:
    if given != gold and {given, gold} & {"yes", "no", "noanswer"}:
        return 0.0
    common = (Counter(given.split()) & Counter(gold.split())).total()
    if not common:
        return 0.0
    precision, recall = common / len(given.split()), common / len(gold.split())
    return 2 * precision * recall / (precision + recall)
