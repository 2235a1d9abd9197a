"""Proposes, waits for the decision and the execution; and runs a function of yours with consent."""

from __future__ import annotations

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from . import _calls as calls
from ._errors import NotDone, Refused, reason_of
from ._proposal import Outcome, Proposal
from ._steps import Call, Sleep, Steps
from .types import Action

# How often an action is read until it can be claimed: at first, and after a minute.
SOON_SECONDS, LATER_SECONDS = 1.0, 5.0

Confirm = Callable[[Action], bool | Awaitable[bool]]
OnWaiting = Callable[[Action], Any]


@dataclass(frozen=True)
class ActOptions:
    confirm: Confirm | None = None
    on_waiting: OnWaiting | None = None
    timeout_seconds: float | None = None
    idempotency_key: str | None = None


def act(proposal: Proposal, options: ActOptions) -> Steps[Action]:
    """Raises NotDone."""
    open_ = yield from consented(proposal, options)
    if open_["status"] != "proposed":
        return done(open_)
    return done((yield from calls.wait(open_["id"], options.timeout_seconds)))


def consented(proposal: Proposal, options: ActOptions) -> Steps[Action]:
    """Proposes, and has the member asked: by the gate, or by the caller who then confirms."""
    asking: Proposal = proposal if options.confirm else {**proposal, "ask": True}
    proposed = yield from calls.propose(asking, options.idempotency_key)
    if proposed["status"] != "proposed":
        return proposed
    if options.confirm is None:
        if "consent_request" not in proposed and "execution" not in proposed:
            raise NotDone("nobody_asked", proposed)
        yield from _tell(options.on_waiting, proposed)
        return proposed
    actor, key = proposal["actor"], options.idempotency_key
    if proposed.get("consent_required") == "agent_attested":
        agreed = yield Call(options.confirm, (proposed,))
        if not agreed:
            return (yield from calls.cancel(proposed, actor, key))
    confirmed = yield from calls.confirm(proposed, actor, key)
    if "consent_request" in confirmed:
        yield from _tell(options.on_waiting, confirmed)
    return confirmed


def done(action: Action) -> Action:
    """Gives an action that was executed wholly. Raises NotDone for any other."""
    if action["status"] == "executed" and action.get("result", {}).get("outcome") == "done":
        return action
    raise NotDone(reason_of(action), action)


def gated(run: Callable[..., Any], proposal: Proposal, options: ActOptions) -> Steps[Any]:
    open_ = yield from consented(proposal, options)
    yield from claimable(open_, options.timeout_seconds)
    return (yield from claimed_run(run, open_))


def claimed_run(run: Callable[..., Any], action: Action) -> Steps[Any]:
    """Claims an action, runs a function for it, and reports. Raises what the function raises."""
    # The member may have changed it: what is claimed is what they consented to.
    claimed = yield from calls.claim(action)
    try:
        value = yield Call(run, (claimed["payload"], claimed))
    except Exception as error:
        outcome: Outcome = "refused" if isinstance(error, Refused) else "unknown"
        yield from calls.report(claimed, outcome, {"error": str(error)[:500]})
        raise
    yield from calls.report(claimed, "done", value if isinstance(value, dict) else {"value": value})
    return value


def claimable(open_: Action, timeout_seconds: float | None) -> Steps[None]:
    """Waits until an action can be claimed. Raises NotDone where it never will."""
    started = time.monotonic()
    action = open_
    while action.get("execution", {}).get("claim") != "open":
        if action["status"] != "proposed" or "claim" in action.get("execution", {}):
            raise NotDone("unknown", done(action), "Somebody else executed it.")
        passed = time.monotonic() - started
        if timeout_seconds is not None and passed > timeout_seconds:
            raise NotDone("open", action)
        yield Sleep(SOON_SECONDS if passed < 60 else LATER_SECONDS)
        action = yield from calls.get(action["id"])


def _tell(on_waiting: OnWaiting | None, action: Action) -> Steps[None]:
    if on_waiting is not None:
        yield Call(on_waiting, (action,))
