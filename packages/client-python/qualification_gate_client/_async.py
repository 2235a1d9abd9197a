"""The client for programs that await: `Gate` with `await`."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any

import httpx
from typing_extensions import Self, Unpack

from . import _act as acts
from . import _calls as calls
from ._address import http_options
from ._gate import gated_proposal
from ._proposal import Outcome, Proposal
from ._steps import run_async
from .types import Action, Actor, Capability, ClaimedAction, ListFilters


class AsyncGate:
    """
    `url` is the gate's address, such as `https://gate.example.com`; `transport` is httpx's. Raises ValueError where `url`
    is no address or `key` cannot be a key.
    """

    def __init__(self, url: str, key: str, transport: httpx.AsyncBaseTransport | None = None) -> None:
        self._http = httpx.AsyncClient(**http_options(url, key), transport=transport)

    async def close(self) -> None:
        await self._http.aclose()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        await self.close()

    async def act(
        self,
        proposal: Proposal,
        *,
        confirm: Callable[[Action], bool | Awaitable[bool]] | None = None,
        on_waiting: Callable[[Action], Any] | None = None,
        timeout_seconds: float | None = None,
        idempotency_key: str | None = None,
    ) -> Action:
        """Proposes, has the member asked, waits, and gives the action once it is done. Raises NotDone, GateError."""
        options = acts.ActOptions(confirm, on_waiting, timeout_seconds, idempotency_key)
        return await run_async(acts.act(proposal, options), self._http)

    def gated(
        self, kind: str, function: Callable[[dict[str, Any], ClaimedAction], Any]
    ) -> Callable[..., Awaitable[Any]]:
        """
        A function of yours that runs only with the member's consent to its payload, once for each consent. `kind` is
        declared with `"executor": {"type": "claim"}`. It gets the payload that the member consented to, which they may
        have changed. Call it with the payload, `actor` and the options of `act`. Raise `Refused` where nothing happened;
        another error is reported as `unknown`, and is not repeated. Raises NotDone, GateError, and what it raises.
        """

        async def call(
            payload: Mapping[str, Any],
            *,
            actor: Actor,
            rationale: str | None = None,
            **options: Any,
        ) -> Any:
            proposal = gated_proposal(kind, payload, actor, rationale)
            steps = acts.gated(function, proposal, acts.ActOptions(**options))
            return await run_async(steps, self._http)

        return call

    async def capability(self, member: Actor) -> Capability:
        """What a member may do."""
        return await run_async(calls.capability(member), self._http)

    async def propose(self, proposal: Proposal, *, idempotency_key: str | None = None) -> Action:
        """Proposes an action of any kind. A denial is no error: see `status`. Raises GateError."""
        return await run_async(calls.propose(proposal, idempotency_key), self._http)

    async def confirm(self, action: Action, actor: Actor, *, idempotency_key: str | None = None) -> Action:
        """Confirms what the member has seen: the `digest` of the action binds it. Raises GateError."""
        return await run_async(calls.confirm(action, actor, idempotency_key), self._http)

    async def cancel(self, action: Action, actor: Actor, *, idempotency_key: str | None = None) -> Action:
        return await run_async(calls.cancel(action, actor, idempotency_key), self._http)

    async def get(self, id: int, *, wait: int | None = None) -> Action:
        """Reads an action; `wait`: for its end, at most 50 seconds."""
        return await run_async(calls.get(id, wait), self._http)

    async def wait(self, action: Action, *, timeout_seconds: float | None = None) -> Action:
        """Waits until an action is executed, denied or cancelled; `timeout_seconds`: then it comes as it is."""
        return await run_async(calls.wait(action["id"], timeout_seconds), self._http)

    async def list(self, **filters: Unpack[ListFilters]) -> AsyncIterator[Action]:
        """Every action that the filters match, page by page."""
        query: dict[str, Any] = {**filters}
        while True:
            page = await run_async(calls.page(query), self._http)
            for action in page["actions"]:
                yield action
            if "next_after" not in page:
                return
            query["after"] = page["next_after"]

    async def claim(self, action: Action) -> ClaimedAction:
        """Takes a consented action to execute it, once."""
        return await run_async(calls.claim(action), self._http)

    async def report(
        self, claimed: ClaimedAction, outcome: Outcome, result: Mapping[str, Any] | None = None
    ) -> Action:
        """Reports the outcome of a claimed action."""
        return await run_async(calls.report(claimed, outcome, result), self._http)

    async def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Mapping[str, Any] = {},
        headers: Mapping[str, str] = {},
    ) -> Any:
        """One request to any address of the gate. It is not repeated. Raises GateError."""
        return await run_async(calls.raw(method, path, body, query, headers), self._http)
