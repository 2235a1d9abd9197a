"""
The tool calls of a framework, each an action of the gate. The Idempotency-Key is made of the call, so its repeat is the same action.
What happened is read from the gate, never from what the model, the framework or an answer says.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from .. import _act as acts
from .. import _calls as calls
from .._errors import GateError, NotDone, Refused
from .._proposal import Proposal
from .._steps import Steps
from ..types import Action, Actor, ClaimedAction
from ._decisions import is_asked, is_open, needed_decision

# How long a tool waits for the execution of what was decided.
EXECUTION_SECONDS = 60.0

ActorOf = Actor | Callable[[Any], Actor]
Run = Callable[[dict[str, Any], ClaimedAction], Any]


@dataclass(frozen=True)
class ToolCall:
    id: str
    payload: dict[str, Any]
    # What the framework gives its tools.
    context: Any = None
    thread: str | None = None


@dataclass(frozen=True)
class ToolCalls:
    kind: str
    actor: ActorOf
    rationale: str | None = None
    scope: str | Callable[[Any], str] | None = None
    run: Run | None = None

    def action_of(self, call: ToolCall) -> Steps[Action]:
        """
        The action of a tool call, as it is now. Raises GateError `idempotency_key_reused` where the call was proposed with other
        arguments.
        """
        actor = self.actor(call.context) if callable(self.actor) else self.actor
        scope = self.scope(call.context) if callable(self.scope) else self.scope
        named = [self.kind, call.thread if call.thread is not None else scope or "", call.id]
        key = hashlib.sha256(json.dumps(named).encode()).hexdigest()
        proposal: Proposal = {
            "kind": self.kind,
            "actor": actor,
            "payload": call.payload,
            "ask": True,
        }
        if self.rationale is not None:
            proposal["rationale"] = self.rationale
        proposed = yield from calls.propose(proposal, f"tool-{key}")
        if proposed["status"] != "proposed":
            return proposed
        now = yield from calls.get(proposed["id"])
        return {**proposed, **now}

    def decided(self, action: Action, timeout_seconds: float | None) -> Steps[Action]:
        """Waits until somebody has decided."""
        if not is_open(action) or not is_asked(action):
            return action
        if self.run is None:
            return (yield from calls.wait(action["id"], timeout_seconds))
        try:
            yield from acts.claimable(action, timeout_seconds)
        except NotDone:
            pass
        return (yield from calls.get(action["id"]))

    def tell(self, action: Action) -> Steps[str]:
        """Says to the model what happened, once a function of yours executed what is consented to."""
        try:
            if not is_asked(action):
                raise NotDone("nobody_asked", action)
            ended = action
            if self.run is not None and action.get("execution", {}).get("claim") == "open":
                yield from acts.claimed_run(self.run, action)
                ended = yield from calls.get(action["id"])
            elif action["status"] == "proposed" and not is_open(action):
                ended = yield from calls.wait(action["id"], EXECUTION_SECONDS)
            result = acts.done(ended).get("result", {})
            value = result if self.run is None else result.get("result")
            return _said(ended, message="Done.", result=value)
        except NotDone as problem:
            action = problem.action
            return _said(action, reason=problem.reason, message=str(problem), result=action.get("result"))
        except Refused as refused:
            return _said(action, reason="refused", message=str(refused))

    def answer(self, call: ToolCall) -> Steps[str]:
        """The answer to a tool call that the framework lets through: the gate knows what was decided."""

        def told() -> Steps[str]:
            action = yield from self.action_of(call)
            return (yield from self.tell(action))

        return (yield from correctable(told()))

    def needs_decision(self, call: ToolCall) -> Steps[Action | None]:
        """The action that the framework has to wait for, or had to: some ask again before they let the call through."""
        try:
            action = yield from self.action_of(call)
        except GateError as error:
            if not _is_for_the_model(error):
                raise
            # Its answer says so.
            return None
        return action if needed_decision(action) else None


def correctable(steps: Steps[str]) -> Steps[str]:
    """Says to the model what the gate refuses about its call, which it can correct."""
    try:
        return (yield from steps)
    except GateError as error:
        if not _is_for_the_model(error):
            raise
        if error.code == "invalid":
            return json.dumps({"status": "invalid", "message": str(error), "param": error.param})
        message = "The arguments of this call changed after it was proposed. Nothing was executed."
        return json.dumps({"status": "refused", "reason": "call_changed", "message": message})


def _is_for_the_model(error: GateError) -> bool:
    return error.code in ("invalid", "idempotency_key_reused")


def _said(action: Action, **fields: Any) -> str:
    edited = action.get("edited_by_member")
    if edited is not None:
        fields["changed_by_member"] = edited["changes"]
    said = {name: value for name, value in fields.items() if value is not None}
    return json.dumps({"action": action["id"], "status": action["status"], **said})
