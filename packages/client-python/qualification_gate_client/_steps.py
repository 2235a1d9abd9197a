"""The client is written once, as generators of what to do next. A driver does it: with or without `await`."""

from __future__ import annotations

import inspect
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import Any, TypeAlias, TypeVar

import anyio
import httpx

Value = TypeVar("Value")


@dataclass(frozen=True)
class Request:
    method: str
    path: str
    body: Any = None
    query: Mapping[str, Any] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Sleep:
    seconds: float


@dataclass(frozen=True)
class Call:
    """A function of the caller, which may give an awaitable to a client that awaits."""

    function: Callable[..., Any]
    arguments: tuple[Any, ...]


Steps: TypeAlias = Generator[Request | Sleep | Call, Any, Value]


def run(steps: Steps[Value], http: httpx.Client) -> Value:
    go_on: Callable[[], Any] = partial(next, steps)
    while True:
        try:
            step = go_on()
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        try:
            answer = _perform(step, http)
        except Exception as error:
            go_on = partial(steps.throw, error)
        else:
            go_on = partial(steps.send, answer)


async def run_async(steps: Steps[Value], http: httpx.AsyncClient) -> Value:
    go_on: Callable[[], Any] = partial(next, steps)
    while True:
        try:
            step = go_on()
        except StopIteration as end:
            return end.value  # type: ignore[no-any-return]
        try:
            answer = await _perform_async(step, http)
        except Exception as error:
            go_on = partial(steps.throw, error)
        else:
            go_on = partial(steps.send, answer)


def _perform(step: Any, http: httpx.Client) -> Any:
    if isinstance(step, Request):
        return http.request(**_sent(step))
    if isinstance(step, Sleep):
        return time.sleep(step.seconds)
    value = step.function(*step.arguments)
    if inspect.isawaitable(value):
        if inspect.iscoroutine(value):
            value.close()
        raise TypeError("An async function needs AsyncGate.")
    return value


async def _perform_async(step: Any, http: httpx.AsyncClient) -> Any:
    if isinstance(step, Request):
        return await http.request(**_sent(step))
    if isinstance(step, Sleep):
        return await anyio.sleep(step.seconds)
    value = step.function(*step.arguments)
    return await value if inspect.isawaitable(value) else value


def _sent(request: Request) -> dict[str, Any]:
    body = {} if request.body is None else {"json": request.body}
    return {
        "method": request.method,
        "url": request.path,
        "params": dict(request.query),
        "headers": dict(request.headers),
        **body,
    }
