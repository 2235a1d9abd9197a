"""A real gate, and members who decide: started by test/python.clients.ts, which runs these tests."""

from __future__ import annotations

import os
from collections.abc import Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import httpx
import pytest

from qualification_gate_client import Actor, Gate, Proposal


@dataclass
class Scene:
    """An account whose member Ada may write, and Rea may only read."""

    url: str
    key: str
    email: str
    reader: str
    members: str
    gate: Gate
    threads: ThreadPoolExecutor

    @property
    def actor(self) -> Actor:
        return {"email": self.email}

    def broadcast(self, message: str) -> Proposal:
        return {"kind": "broadcast", "actor": self.actor, "payload": {"message": message}}

    def decide(self, does: str = "confirm", times: int = 1, changes: dict[str, str] | None = None) -> None:
        """Waits until Ada was asked so often, and decides as she does."""
        body: dict[str, Any] = {"email": self.email, "does": does, "times": times}
        if changes is not None:
            body["changes"] = changes
        answer = httpx.post(f"{self.members}/decide", json=body, timeout=120)
        assert answer.status_code == 200, answer.text
        assert answer.json()["status"] in (200, 303), answer.text

    def deciding(self, **how: Any) -> Future[None]:
        return self.threads.submit(self.decide, **how)

    def actions(self, kind: str = "broadcast") -> list[Any]:
        return list(self.gate.list(kind=kind))


@pytest.fixture
def scene() -> Iterator[Scene]:
    members = os.environ["GATE_MEMBERS"]
    made = httpx.post(f"{members}/account", timeout=60).json()
    with Gate(made["url"], made["key"]) as gate, ThreadPoolExecutor() as threads:
        yield Scene(made["url"], made["key"], made["email"], made["reader"], members, gate, threads)
