"""Tools for Pydantic AI that propose; the run ends with a deferred request until somebody decides."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any
from weakref import WeakKeyDictionary

from pydantic_ai import ApprovalRequired, DeferredToolRequests, DeferredToolResults, RunContext, Tool
from pydantic_ai.messages import ToolCallPart

from .._async import AsyncGate
from .._calls import get
from .._gate import Gate
from .._steps import Steps
from ..types import Action
from ._decisions import binding_of, is_bound, is_open
from ._run import await_with
from ._tool_calls import ActorOf, Run, ToolCall, ToolCalls

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
) -> Tool[Any]:
    """
    A tool that proposes an action of the kind. The run ends with a DeferredToolRequests until somebody decides. `actor` is the
    member, or a function of the RunContext: yours to say, never the model's. `schema` describes the payload. `scope` is the
    conversation; default: that of Pydantic AI.
    """
    calls = ToolCalls(kind, actor, rationale, scope or (lambda context: context.conversation_id or ""), run)

    async def call(context: RunContext[Any], **payload: Any) -> str:
        called = ToolCall(context.tool_call_id or "", payload, context)
        action = await await_with(gate, calls.needs_decision(called))
        if action is not None:
            answer = context.tool_call_metadata if context.tool_call_approved else None
            if is_open(action) or not is_bound(action, answer):
                raise ApprovalRequired(metadata=binding_of(action))
        return await await_with(gate, calls.answer(called))

    _made[call] = (gate, calls)
    return Tool.from_schema(
        call, name=name or kind, description=description, json_schema=schema, takes_ctx=True
    )


def gated(gate: Gate | AsyncGate, kind: str, run: Run, **options: Any) -> Tool[Any]:
    """The same, with a function of yours that executes it."""
    return gate_tool(gate, kind, run=run, **options)


async def settle(
    requests: DeferredToolRequests,
    tools: Sequence[Tool[Any]],
    *,
    timeout_seconds: float | None = None,
) -> DeferredToolResults:
    """
    Waits for the decisions of the deferred calls of these tools: `await agent.run(message_history=result.all_messages(),
    deferred_tool_results=await settle(result.output, tools))`. What nobody decided in time is not in it: settle it again.
    """
    results = DeferredToolResults()

    async def settled(part: ToolCallPart) -> None:
        found = next((tool for tool in tools if tool.name == part.tool_name), None)
        made = _made.get(found.function) if found is not None else None
        asked = requests.metadata.get(part.tool_call_id)
        if made is None or asked is None:
            return
        gate, calls = made

        def decided() -> Steps[Action]:
            action = yield from get(asked["id"])
            return (yield from calls.decided(action, timeout_seconds))

        action = await await_with(gate, decided())
        if not is_open(action):
            # The tool says what was decided, a refusal too.
            results.approvals[part.tool_call_id] = True
            results.metadata[part.tool_call_id] = asked

    await asyncio.gather(*map(settled, requests.approvals))
    return results
