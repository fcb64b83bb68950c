"""English words that say nothing of what a text is about."""

from __future__ import annotations

STOP_WORDS = frozenset(
    """
    a an the this that these those some any each every all both either neither no nor not only such same other another own
    i me my we our ours you your yours he him his she her hers it its they them their theirs
    myself ourselves yourself himself herself itself themselves
    who whom whose which what when where why how
    is are was were be been being am do does did doing done have has had having can could shall should will would might must
    and or but if then else than as so because while until though although whether
    of in on at by to from for with without within into onto upon over under above below between among through during before
    after against about around across along off out up down near per via
    again also just very too more most much many few less least still there here now ever once
    s t d m o y ll re ve ain don didn doesn isn aren wasn weren won wouldn couldn shouldn hasn haven hadn
    """.split()  # noqa: SIM905
)
