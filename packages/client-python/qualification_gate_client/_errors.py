"""What goes wrong: a request that the gate refuses, and an action that is not done."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Literal

from .types import Action

NotDoneReason = Literal[
    "denied",
    "declined",
    "expired",
    "cancelled",
    "refused",
    "partial",
    "unknown",
    "nobody_asked",
    "open",
]


class GateError(Exception):
    """A request that the gate refused. `code` is for programs, the message for people."""

    def __init__(
        self,
        body: Mapping[str, Any],
        status: int,
        retry_after_seconds: float | None = None,
    ) -> None:
        super().__init__(body["error"])
        self.code: str = body["code"]
        self.status = status
        self.param: str | None = body.get("param")
        self.request_id: str | None = body.get("request_id")
        self.retry_after_seconds = retry_after_seconds


class NotDone(Exception):
    """An action that did not happen, or not as proposed, or of which that is not known. `action` is as it ended."""

    def __init__(self, reason: NotDoneReason, action: Action, says: str | None = None) -> None:
        super().__init__(says if says is not None else _sentences[reason](action))
        self.reason: NotDoneReason = reason
        self.action = action


class Refused(Exception):
    """For a function of yours: nothing happened, and this is why. Any other error is reported as `unknown`."""


def reason_of(action: Action) -> NotDoneReason:
    """Why an action is not done. Of one that is not executed with the outcome `done`."""
    status, closed = action["status"], action.get("closed_reason")
    if status == "denied":
        return "denied"
    if status == "proposed":
        return "open"
    if status == "executed":
        outcome = action.get("result", {}).get("outcome")
        return "partial" if outcome == "partial" else "unknown"
    if closed in ("member_declined", "approver_declined"):
        return "declined"
    if closed in ("expired", "refused"):
        return closed
    return "cancelled"


def _declined(action: Action) -> str:
    who = "An approver" if action.get("closed_reason") == "approver_declined" else "The member"
    reason = action.get("decline_reason")
    return f"{who} declined." if reason is None else f"{who} declined: {reason}"


_sentences: dict[NotDoneReason, Callable[[Action], str]] = {
    "denied": lambda action: action.get("denial_reason", "The gate denied it."),
    "declined": _declined,
    "expired": lambda _: "Nobody decided in time.",
    "cancelled": lambda _: "It was cancelled.",
    "refused": lambda _: "It was refused, and nothing happened.",
    "partial": lambda _: "A part of it happened: see the result.",
    "unknown": lambda _: "It may have happened. Do not repeat it: see the result.",
    "nobody_asked": lambda action: action.get("consent_request_problem", "The member could not be asked."),
    "open": lambda _: "It is still open.",
}
