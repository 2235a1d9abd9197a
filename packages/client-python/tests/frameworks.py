"""What the tests of every framework share."""

from __future__ import annotations

import json
from typing import Any

from qualification_gate_client import Refused

BROADCAST: dict[str, Any] = {
    "description": "Send a message to every member.",
    "schema": {
        "type": "object",
        "properties": {"message": {"type": "string"}},
        "required": ["message"],
        "additionalProperties": False,
    },
}

DELETION: dict[str, Any] = {
    "description": "Delete a customer.",
    "schema": {
        "type": "object",
        "properties": {"customer": {"type": "object", "properties": {"id": {"type": "string"}}}},
        "required": ["customer"],
    },
}

LUNCH = {"message": "Lunch is at noon."}
DINNER = {"message": "Dinner is at six."}
OTHER = {"message": "Pay everybody."}


class Removing:
    """A function of yours, and what it ran with."""

    def __init__(self) -> None:
        self.ran: list[Any] = []

    def __call__(self, payload: dict[str, Any], _action: Any) -> dict[str, Any]:
        self.ran.append(payload)
        if payload["customer"]["id"] == "cus_2":
            raise Refused("The customer has an open order.")
        return {"deleted": payload["customer"]["id"]}


def parsed(text: Any) -> Any:
    return json.loads(text)


def has(actual: Any, **expected: Any) -> None:
    assert {name: actual.get(name) for name in expected} == expected, actual
