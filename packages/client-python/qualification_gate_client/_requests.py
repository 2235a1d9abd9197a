"""Sends requests, and repeats those that may be sent twice."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import httpx

from ._errors import GateError
from ._steps import Request, Sleep, Steps

# A request is repeated for this long while the gate is away or busy.
REPEATED_FOR_SECONDS = 60.0

# What httpx refuses to send, such as a header with a line break.
NEVER_SENT = (httpx.LocalProtocolError, httpx.UnsupportedProtocol)

Reader = Callable[[httpx.Response], Any]


def answered(request: Request, read: Reader | None = None) -> Steps[Any]:
    """Sends a request once. Raises GateError for a refusal."""
    response: httpx.Response = yield request
    return (read or json_of)(response)


def repeated(request: Request, read: Reader | None = None) -> Steps[Any]:
    """Sends a request that may be sent twice, again while the gate cannot be reached, is busy or is down."""
    started = time.monotonic()
    attempt = 0
    while True:
        try:
            return (yield from answered(request, read))
        except (GateError, httpx.TransportError) as problem:
            wait_seconds = _again_after_seconds(problem, attempt)
            passed = time.monotonic() - started
            if wait_seconds is None or passed + wait_seconds > REPEATED_FOR_SECONDS:
                raise
        yield Sleep(wait_seconds)
        attempt += 1


def json_of(response: httpx.Response) -> Any:
    body = _parsed(response)
    if response.is_success and body is not None:
        return body
    known = isinstance(body, dict) and "code" in body and "error" in body
    unreadable = {"error": f"The gate answered {response.status_code}.", "code": "unreadable"}
    raise GateError(body if known else unreadable, response.status_code, _retry_after(response))


def _parsed(response: httpx.Response) -> Any:
    try:
        return response.json()
    except ValueError:
        return None


def _retry_after(response: httpx.Response) -> float | None:
    text: str = response.headers.get("retry-after", "")
    return float(text) if text.isdecimal() and int(text) > 0 else None


def _again_after_seconds(problem: Exception, attempt: int) -> float | None:
    """None: a repeat would be answered alike."""
    backoff = min(0.5 * 2.0**attempt, 10.0)
    if isinstance(problem, NEVER_SENT):
        return None
    if not isinstance(problem, GateError):
        return backoff
    if problem.status == 429 or problem.status >= 502:
        return problem.retry_after_seconds or backoff
    return None
