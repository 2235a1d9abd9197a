"""Single requests: what reads, and what writes."""

from __future__ import annotations

import math
import time
import uuid
from collections.abc import Mapping
from typing import Any, cast

from ._money import TOOLS, propose_money
from ._proposal import Outcome, Proposal
from ._requests import answered, repeated
from ._steps import Request, Steps
from .types import Action, Actor, Capability, ClaimedAction

# How long one read waits for the end of an action.
WAIT_SECONDS = 50

ACTIONS = "/api/v1/actions"


def raw(
    method: str, path: str, body: Any, query: Mapping[str, Any], headers: Mapping[str, str]
) -> Steps[Any]:
    return (yield from answered(Request(method, path, body, query, headers)))


def capability(member: Actor) -> Steps[Capability]:
    query = cast("Mapping[str, str]", member)
    return (yield from repeated(Request("GET", "/api/v1/capability", query=query)))  # type: ignore[no-any-return]


def get(id: int, wait: int | None = None) -> Steps[Action]:
    query = {} if wait is None else {"wait": wait}
    return (yield from repeated(Request("GET", f"{ACTIONS}/{id}", query=query)))  # type: ignore[no-any-return]


def page(filters: Mapping[str, Any]) -> Steps[Any]:
    return (yield from repeated(Request("GET", ACTIONS, query=filters)))


def wait(id: int, timeout_seconds: float | None) -> Steps[Action]:
    end = math.inf if timeout_seconds is None else time.monotonic() + timeout_seconds
    while True:
        left = end - time.monotonic()
        action = yield from get(id, wait=max(0, min(WAIT_SECONDS, math.ceil(min(left, WAIT_SECONDS)))))
        if action["status"] != "proposed" or left <= 0:
            return action


# What changes something. Each write but a claim is repeated under its key while the gate cannot be reached.


def propose(proposal: Proposal, idempotency_key: str | None) -> Steps[Action]:
    key = idempotency_key or str(uuid.uuid4())
    tool = TOOLS.get(proposal["kind"])
    if tool is not None:
        return (yield from propose_money(tool, proposal, key))  # type: ignore[no-any-return]
    return (yield from repeated(Request("POST", ACTIONS, proposal, headers=_keyed(key))))  # type: ignore[no-any-return]


def confirm(action: Action, actor: Actor, idempotency_key: str | None) -> Steps[Action]:
    digest = {"digest": action["digest"]} if "digest" in action else {}
    return (yield from _decide(action, "confirm", {"actor": actor, **digest}, idempotency_key))


def cancel(action: Action, actor: Actor, idempotency_key: str | None) -> Steps[Action]:
    return (yield from _decide(action, "cancel", {"actor": actor}, idempotency_key))


def claim(action: Action) -> Steps[ClaimedAction]:
    return (yield from answered(Request("POST", f"{ACTIONS}/{action['id']}/claim")))  # type: ignore[no-any-return]


def report(claimed: ClaimedAction, outcome: Outcome, result: Mapping[str, Any] | None) -> Steps[Action]:
    body = {
        "claim": claimed["claim"],
        "outcome": outcome,
        **({} if result is None else {"result": result}),
    }
    return (yield from repeated(Request("POST", f"{ACTIONS}/{claimed['id']}/outcome", body)))  # type: ignore[no-any-return]


def _decide(action: Action, verb: str, body: Mapping[str, Any], idempotency_key: str | None) -> Steps[Action]:
    headers = _keyed(idempotency_key or str(uuid.uuid4()))
    path = f"{ACTIONS}/{action['id']}/{verb}"
    return (yield from repeated(Request("POST", path, body, headers=headers)))  # type: ignore[no-any-return]


def _keyed(key: str) -> dict[str, str]:
    return {"idempotency-key": key}
