"""Tools for the OpenAI Agents SDK that propose; the run is interrupted until somebody decides."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Sequence
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

from agents import FunctionTool, RunContextWrapper, RunState, Tool
from agents.items import ToolApprovalItem
from agents.tool_context import ToolContext

from .._async import AsyncGate
from .._gate import Gate
from .._steps import Steps
from ..types import Action
from ._decisions import is_asked, is_open
from ._run import await_with
from ._tool_calls import ActorOf, Run, ToolCall, ToolCalls

State = TypeVar("State", bound=RunState[Any, Any])


# By the approval function of the tool, which stays where the SDK copies a tool.
_made: WeakKeyDictionary[object, tuple[Gate | AsyncGate, ToolCalls]] = WeakKeyDictionary()


def gate_tool(
    gate: Gate | AsyncGate,
    kind: str,
    *,
    actor: ActorOf,
    description: str,
    schema: dict[str, Any],
    name: str | None = None,
    rationale: str | None = None,
    scope: str | Callable[[Any], str] | None = None,
    run: Run | None = None,
) -> FunctionTool:
    """
    A tool that proposes an action of the kind. The run is interrupted until somebody decides. `actor` is the member, or a function
    of the run's context: yours to say, never the model's. `schema` describes the payload. `scope` is the conversation, where ids of
    tool calls repeat in others.
    """
    calls = ToolCalls(kind, actor, rationale, scope, run)

    async def needs_approval(context: RunContextWrapper[Any], payload: dict[str, Any], id: str) -> bool:
        call = ToolCall(id, payload, context.context)
        return await await_with(gate, calls.needs_decision(call)) is not None

    async def invoke(context: ToolContext[Any], arguments: str) -> str:
        call = ToolCall(context.tool_call_id, json.loads(arguments), context.context)
        return await await_with(gate, calls.answer(call))

    _made[needs_approval] = (gate, calls)
    return FunctionTool(
        name=name or kind,
        description=description,
        params_json_schema=schema,
        on_invoke_tool=invoke,
        strict_json_schema=False,
        needs_approval=needs_approval,
    )


def gated(gate: Gate | AsyncGate, kind: str, run: Run, **options: Any) -> FunctionTool:
    """The same, with a function of yours that executes it."""
    return gate_tool(gate, kind, run=run, **options)


async def settle(
    state: State, tools: Sequence[Tool], *, context: Any = None, timeout_seconds: float | None = None
) -> State:
    """
    Waits for the decisions of the interruptions of these tools, and lets the run go on after them:
    `await Runner.run(agent, await settle(result.to_state(), tools))`. `context` is the same as for `run`.
    """

    async def settled(item: ToolApprovalItem) -> None:
        found = next((tool for tool in tools if tool.name == item.tool_name), None)
        made = _made.get(found.needs_approval) if isinstance(found, FunctionTool) else None
        if made is None:
            return
        gate, calls = made

        def decided() -> Steps[Action]:
            action = yield from calls.action_of(_call_of(item, context))
            return (yield from calls.decided(action, timeout_seconds))

        action = await await_with(gate, decided())
        # The tool says what was decided, a refusal too.
        if not is_open(action) or not is_asked(action):
            state.approve(item)

    await asyncio.gather(*map(settled, state.get_interruptions()))
    return state


def _call_of(item: ToolApprovalItem, context: Any) -> ToolCall:
    raw = item.raw_item
    fields = raw if isinstance(raw, dict) else raw.model_dump()
    return ToolCall(fields["call_id"], json.loads(fields["arguments"]), context)
