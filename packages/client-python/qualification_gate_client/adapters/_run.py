"""Runs steps with the gate that the tools were made with."""

from __future__ import annotations

import asyncio
from typing import TypeVar

from .._async import AsyncGate
from .._gate import Gate
from .._steps import Steps, run, run_async

Value = TypeVar("Value")


def run_with(gate: Gate | AsyncGate, steps: Steps[Value]) -> Value:
    if isinstance(gate, AsyncGate):
        raise TypeError("AsyncGate needs the async methods of the framework, such as ainvoke.")
    return run(steps, gate._http)


async def await_with(gate: Gate | AsyncGate, steps: Steps[Value]) -> Value:
    """A gate without `await` works in a thread, and blocks nobody."""
    if isinstance(gate, Gate):
        return await asyncio.to_thread(run, steps, gate._http)
    return await run_async(steps, gate._http)
