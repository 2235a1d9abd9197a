"""The client for programs that do not await."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, TypeVar

import httpx
from typing_extensions import Self, Unpack

from . import _act as acts
from . import _calls as calls
from ._address import http_options
from ._proposal import Outcome, Proposal
from ._steps import run
from .types import Action, Actor, Capability, ClaimedAction, ListFilters

Result = TypeVar("Result")


class Gate:
    """
    `url` is the gate's address, such as `https://gate.example.com`; `transport` is httpx's. Raises ValueError where `url`
    is no address or `key` cannot be a key.
    """

    def __init__(self, url: str, key: str, transport: httpx.BaseTransport | None = None) -> None:
        self._http = httpx.Client(**http_options(url, key), transport=transport)

    def close(self) -> None:
        self._http.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def act(
        self,
        proposal: Proposal,
        *,
        confirm: Callable[[Action], bool] | None = None,
        on_waiting: Callable[[Action], Any] | None = None,
        timeout_seconds: float | None = None,
        idempotency_key: str | None = None,
    ) -> Action:
        """Proposes, has the member asked, waits, and gives the action once it is done. Raises NotDone, GateError."""
        options = acts.ActOptions(confirm, on_waiting, timeout_seconds, idempotency_key)
        return run(acts.act(proposal, options), self._http)

    def gated(
        self, kind: str, function: Callable[[dict[str, Any], ClaimedAction], Result]
    ) -> Callable[..., Result]:
        """
        A function of yours that runs only with the member's consent to its payload, once for each consent. `kind` is
        declared with `"executor": {"type": "claim"}`. It gets the payload that the member consented to, which they may
        have changed. Call it with the payload, `actor` and the options of `act`. Raise `Refused` where nothing happened;
        another error is reported as `unknown`, and is not repeated. Raises NotDone, GateError, and what it raises.
        """

        def call(
            payload: Mapping[str, Any],
            *,
            actor: Actor,
            rationale: str | None = None,
            **options: Any,
        ) -> Result:
            proposal = gated_proposal(kind, payload, actor, rationale)
            return run(acts.gated(function, proposal, acts.ActOptions(**options)), self._http)  # type: ignore[no-any-return]

        return call

    def capability(self, member: Actor) -> Capability:
        """What a member may do."""
        return run(calls.capability(member), self._http)

    def propose(self, proposal: Proposal, *, idempotency_key: str | None = None) -> Action:
        """Proposes an action of any kind. A denial is no error: see `status`. Raises GateError."""
        return run(calls.propose(proposal, idempotency_key), self._http)

    def confirm(self, action: Action, actor: Actor, *, idempotency_key: str | None = None) -> Action:
        """Confirms what the member has seen: the `digest` of the action binds it. Raises GateError."""
        return run(calls.confirm(action, actor, idempotency_key), self._http)

    def cancel(self, action: Action, actor: Actor, *, idempotency_key: str | None = None) -> Action:
        return run(calls.cancel(action, actor, idempotency_key), self._http)

    def get(self, id: int, *, wait: int | None = None) -> Action:
        """Reads an action; `wait`: for its end, at most 50 seconds."""
        return run(calls.get(id, wait), self._http)

    def wait(self, action: Action, *, timeout_seconds: float | None = None) -> Action:
        """Waits until an action is executed, denied or cancelled; `timeout_seconds`: then it comes as it is."""
        return run(calls.wait(action["id"], timeout_seconds), self._http)

    def list(self, **filters: Unpack[ListFilters]) -> Iterator[Action]:
        """Every action that the filters match, page by page."""
        query: dict[str, Any] = {**filters}
        while True:
            page = run(calls.page(query), self._http)
            yield from page["actions"]
            if "next_after" not in page:
                return
            query["after"] = page["next_after"]

    def claim(self, action: Action) -> ClaimedAction:
        """Takes a consented action to execute it, once."""
        return run(calls.claim(action), self._http)

    def report(
        self, claimed: ClaimedAction, outcome: Outcome, result: Mapping[str, Any] | None = None
    ) -> Action:
        """Reports the outcome of a claimed action."""
        return run(calls.report(claimed, outcome, result), self._http)

    def request(
        self,
        method: str,
        path: str,
        *,
        body: Any = None,
        query: Mapping[str, Any] = {},
        headers: Mapping[str, str] = {},
    ) -> Any:
        """One request to any address of the gate. It is not repeated. Raises GateError."""
        return run(calls.raw(method, path, body, query, headers), self._http)


def gated_proposal(kind: str, payload: Mapping[str, Any], actor: Actor, rationale: str | None) -> Proposal:
    proposal: Proposal = {"kind": kind, "actor": actor, "payload": dict(payload)}
    return proposal if rationale is None else {**proposal, "rationale": rationale}
