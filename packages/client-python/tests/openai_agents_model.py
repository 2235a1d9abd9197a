from __future__ import annotations

import json
from typing import Any

from agents import Model, ModelResponse, Usage
from frameworks import LUNCH
from openai.types.responses import ResponseFunctionToolCall, ResponseOutputMessage, ResponseOutputText


class Scripted(Model):
    """Makes the calls of one turn, unless it has their results."""

    def __init__(self, *turn: tuple[str, str, dict[str, Any]]) -> None:
        self.turn = turn

    async def get_response(self, *_: Any, **given: Any) -> ModelResponse:
        input = given["input"]
        kinds = [one.get("type") for one in input] if isinstance(input, list) else []
        if "function_call_output" in kinds:
            text = ResponseOutputText(text="That is all.", type="output_text", annotations=[])
            message = ResponseOutputMessage(
                id="m", content=[text], role="assistant", status="completed", type="message"
            )
            return ModelResponse(output=[message], usage=Usage(), response_id=None)
        calls: list[Any] = [
            ResponseFunctionToolCall(call_id=id, name=name, arguments=json.dumps(args), type="function_call")
            for id, name, args in self.turn
        ]
        return ModelResponse(output=calls, usage=Usage(), response_id=None)

    def stream_response(self, *_: Any, **__: Any) -> Any:
        raise NotImplementedError


model = Scripted(("call_1", "broadcast", LUNCH))
