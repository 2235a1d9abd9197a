"""Tools for LangChain that propose and wait."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any

from langchain_core.runnables import RunnableConfig
from langchain_core.tools import BaseTool
from pydantic import BaseModel, PrivateAttr
from pydantic_core import to_jsonable_python

from .._async import AsyncGate
from .._gate import Gate
from .._steps import Steps
from ..types import Action
from ._run import await_with, run_with
from ._tool_calls import ActorOf, Run, ToolCall, ToolCalls, correctable

_call_id: ContextVar[str | None] = ContextVar("call_id", default=None)


class GateTool(BaseTool):
    """Made by `gate_tool` and `gated`."""

    _gate: Gate | AsyncGate = PrivateAttr()
    _calls: ToolCalls = PrivateAttr()
    _timeout_seconds: float | None = PrivateAttr(default=None)

    def __init__(self, gate: Gate | AsyncGate, calls: ToolCalls, timeout: float | None, **shown: Any) -> None:
        super().__init__(**shown)
        self._gate, self._calls, self._timeout_seconds = gate, calls, timeout

    # The id of the call is known here alone. The tool runs in a copy of this context.
    def run(self, *args: Any, tool_call_id: str | None = None, **kwargs: Any) -> Any:
        _call_id.set(tool_call_id)
        return super().run(*args, tool_call_id=tool_call_id, **kwargs)

    async def arun(self, *args: Any, tool_call_id: str | None = None, **kwargs: Any) -> Any:
        _call_id.set(tool_call_id)
        return await super().arun(*args, tool_call_id=tool_call_id, **kwargs)

    def _run(self, config: RunnableConfig, **payload: Any) -> str:
        return run_with(self._gate, self._steps(config, payload))

    async def _arun(self, config: RunnableConfig, **payload: Any) -> str:
        return await await_with(self._gate, self._steps(config, payload))

    def _steps(self, config: RunnableConfig, payload: dict[str, Any]) -> Steps[str]:
        return correctable(self._told(call_of(config, payload)))

    def _told(self, call: ToolCall) -> Steps[str]:
        action = yield from self._calls.action_of(call)
        action = yield from self._decided(action)
        return (yield from self._calls.tell(action))

    def _decided(self, action: Action) -> Steps[Action]:
        return (yield from self._calls.decided(action, self._timeout_seconds))


def gate_tool(
    gate: Gate | AsyncGate,
    kind: str,
    *,
    actor: ActorOf,
    description: str,
    schema: dict[str, Any] | type[BaseModel],
    name: str | None = None,
    rationale: str | None = None,
    scope: str | Callable[[Any], str] | None = None,
    timeout_seconds: float | None = None,
    run: Run | None = None,
    made: type[GateTool] = GateTool,
) -> GateTool:
    """
    A tool that proposes an action of the kind and waits for its end. `actor` is the member, or a function of the RunnableConfig:
    yours to say, never the model's. `schema` describes the payload. `scope` is the conversation, where there is no `thread_id`.
    """
    calls = ToolCalls(kind, actor, rationale, scope, run)
    shown = {"name": name or kind, "description": description, "args_schema": schema}
    return made(gate, calls, timeout_seconds, **shown)


def gated(gate: Gate | AsyncGate, kind: str, run: Run, **options: Any) -> GateTool:
    """The same, with a function of yours that executes it."""
    return gate_tool(gate, kind, run=run, **options)


def call_of(config: RunnableConfig, payload: dict[str, Any]) -> ToolCall:
    thread = config.get("configurable", {}).get("thread_id")
    id = _call_id.get() or str(uuid.uuid4())
    return ToolCall(id, to_jsonable_python(payload), config, None if thread is None else str(thread))
