from __future__ import annotations

from typing import Any

from frameworks import LUNCH
from langchain_core.language_models.chat_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult


class Model(BaseChatModel):
    """Makes the calls of one turn, unless it has their results."""

    turn: list[dict[str, Any]]

    def _generate(self, messages: list[BaseMessage], *_: Any, **__: Any) -> ChatResult:
        is_called = any(message.type == "tool" for message in messages)
        calls = [] if is_called else [{**call, "type": "tool_call"} for call in self.turn]
        said = AIMessage("That is all." if is_called else "", tool_calls=calls)
        return ChatResult(generations=[ChatGeneration(message=said)])

    def bind_tools(self, *_: Any, **__: Any) -> Any:
        return self

    @property
    def _llm_type(self) -> str:
        return "scripted"


model = Model(turn=[{"name": "broadcast", "args": LUNCH, "id": "call_1"}])
