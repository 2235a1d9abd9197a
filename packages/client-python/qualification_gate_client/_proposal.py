"""What you propose and report."""

from __future__ import annotations

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict

from .types import Actor


class Proposal(TypedDict):
    """What you propose. The gate checks the payload by its kind."""

    kind: str
    actor: Actor
    payload: dict[str, Any]
    # Why, for the member.
    rationale: NotRequired[str]
    # The id of the action that this one answers: the member declined it.
    replaces: NotRequired[int]
    # Ask the member at once.
    ask: NotRequired[bool]


Outcome = Literal["done", "refused", "failed", "unknown"]
