"""Tools for LangGraph that propose, and interrupt the graph until somebody decided."""

from __future__ import annotations

from typing import Any

from langgraph.types import interrupt

from .. import _calls as calls
from .._async import AsyncGate
from .._gate import Gate
from .._steps import Call, Steps
from ..types import Action
from . import langchain
from ._decisions import binding_of, is_bound, is_open, needed_decision
from ._tool_calls import Run

OTHER_ACTION = "The answer was for another action. Resume with the id and digest of this one."
NOBODY_DECIDED = "Nobody has decided yet. Resume when the action is decided."


class InterruptingTool(langchain.GateTool):
    """Made by `gate_tool` and `gated`."""

    def _decided(self, action: Action) -> Steps[Action]:
        """
        Interrupts the graph until it is resumed for this action, and somebody decided it. With each resume the node runs again from
        its start, and each interrupt gets the answer that it got before: so all are asked for again, in the same order.
        """
        if not needed_decision(action):
            return action
        next_step = action.get("consent_request", {}).get("next")
        while True:
            about = {"kind": action["kind"], "payload": action["payload"], "next": next_step}
            answer = yield Call(interrupt, ({**binding_of(action), **about},))
            action = yield from calls.get(action["id"])
            if not is_bound(action, answer):
                next_step = OTHER_ACTION
            elif is_open(action):
                next_step = NOBODY_DECIDED
            else:
                return action


def gate_tool(gate: Gate | AsyncGate, kind: str, **options: Any) -> langchain.GateTool:
    """
    A tool that proposes an action of the kind and interrupts the graph until it is decided. The graph needs a checkpointer. Options
    are those of LangChain's `gate_tool`, without `timeout_seconds`. Resume with `id` and `digest` of what it was interrupted with.
    """
    return langchain.gate_tool(gate, kind, made=InterruptingTool, **options)


def gated(gate: Gate | AsyncGate, kind: str, run: Run, **options: Any) -> langchain.GateTool:
    """The same, with a function of yours that executes it."""
    return gate_tool(gate, kind, run=run, **options)
