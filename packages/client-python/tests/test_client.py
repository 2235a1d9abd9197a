from __future__ import annotations

import asyncio
import threading
import time
from typing import Any

import httpx
import pytest
from conftest import Scene

from qualification_gate_client import (
    Action,
    Actor,
    AsyncGate,
    ClaimedAction,
    Gate,
    GateError,
    NotDone,
    Refused,
)


def not_done(scene: Scene, **how: Any) -> NotDone:
    with pytest.raises(NotDone) as caught:
        scene.gate.act(scene.broadcast("Lunch is at noon."), **how)
    return caught.value


def test_what_the_caller_asks_the_member_is_confirmed_or_cancelled(scene: Scene) -> None:
    shown: list[Action] = []

    def agree(action: Action) -> bool:
        shown.append(action)
        return True

    sent = scene.gate.act(scene.broadcast("Hello."), confirm=agree)
    assert (sent["status"], sent["result"]["outcome"]) == ("executed", "done")
    assert [(one["id"], one["digest"]) for one in shown] == [(sent["id"], sent["digest"])]
    ended = not_done(scene, confirm=lambda _: False)
    assert (ended.reason, ended.action["closed_reason"]) == ("cancelled", "proposer")


@pytest.mark.parametrize("client", [Gate, AsyncGate])
def test_a_wrong_address_or_key_is_refused_at_once_and_not_shown(client: Any) -> None:
    url, key = "https://gate.example.com", "qgk_secret"
    for wrong in (None, "", "gate.example.com", "https://", key):
        with pytest.raises(ValueError, match="^url must be") as caught:
            client(wrong, key)
        assert key not in str(caught.value)
    for wrong in (None, "", "\n", f"{key} {key}", f"{key}é"):
        with pytest.raises(ValueError, match="^key must be") as caught:
            client(url, wrong)
        assert key not in str(caught.value)


def test_a_key_from_a_file_may_end_with_a_line_break(scene: Scene) -> None:
    with Gate(scene.url, f"{scene.key}\n") as gate:
        assert gate.capability(scene.actor)["tier"] == "guarded_write"


def test_what_cannot_be_sent_is_not_repeated(scene: Scene) -> None:
    started = time.monotonic()
    with pytest.raises(httpx.LocalProtocolError):
        scene.gate.propose(scene.broadcast("Lunch."), idempotency_key="lunch\n1")
    assert time.monotonic() - started < 5


def test_otherwise_the_gate_asks_and_the_end_is_awaited(scene: Scene) -> None:
    waiting: list[Action] = []
    approved = scene.deciding()
    sent = scene.gate.act(scene.broadcast("Lunch."), on_waiting=waiting.append)
    approved.result()
    assert (sent["status"], sent["consent"]["by"]) == ("executed", scene.email)
    assert [one["consent_request"]["requested_via"] for one in waiting] == ["email"]

    declined = scene.deciding(does="decline", times=2)
    ended = not_done(scene)
    declined.result()
    assert (ended.reason, ended.action["closed_reason"]) == ("declined", "member_declined")

    reading: Actor = {"email": scene.reader}
    with pytest.raises(NotDone, match="requires `guarded_write`") as denied:
        scene.gate.act({**scene.broadcast("No."), "actor": reading})
    assert (denied.value.reason, denied.value.action["denial_code"]) == ("denied", "tier_insufficient")
    assert not_done(scene, timeout_seconds=1).reason == "open"


def test_a_member_may_change_it_before_they_approve(scene: Scene) -> None:
    edited = scene.deciding(changes={"message": "Lunch is at one."})
    sent = scene.gate.act(scene.broadcast("Lunch is at noon."))
    edited.result()
    assert sent["payload"] == {"message": "Lunch is at one."}
    change = sent["edited_by_member"]["changes"][0]
    assert (change["from"], change["to"]) == ("Lunch is at noon.", "Lunch is at one.")


def test_a_function_of_yours_runs_once_for_each_consent(scene: Scene) -> None:
    ran: list[str] = []

    def delete(payload: dict[str, Any], _action: ClaimedAction) -> dict[str, str]:
        ran.append(payload["customer"]["id"])
        if payload["customer"]["id"] == "cus_refused":
            raise Refused("The customer has an open order.")
        if payload["customer"]["id"] == "cus_crash":
            raise OSError("The connection broke.")
        return {"deleted": payload["customer"]["id"]}

    delete_customer = scene.gate.gated("customer_deletion", delete)

    def call(id: str, agreed: bool = True, actor: Actor | None = None) -> Any:
        payload = {"customer": {"id": id}, "keep_invoices": True}
        return delete_customer(payload, actor=actor or scene.actor, confirm=lambda _: agreed)

    assert call("cus_1") == {"deleted": "cus_1"}
    with pytest.raises(Refused, match="open order"):
        call("cus_refused")
    with pytest.raises(OSError, match="broke"):
        call("cus_crash")
    with pytest.raises(NotDone) as cancelled:
        call("cus_4", agreed=False)
    with pytest.raises(NotDone) as denied:
        call("cus_5", actor={"email": scene.reader})
    assert (cancelled.value.reason, denied.value.reason) == ("cancelled", "denied")
    assert ran == ["cus_1", "cus_refused", "cus_crash"]

    ends = []
    for listed in scene.gate.list(kind="customer_deletion", limit=2):
        action = scene.gate.get(listed["id"])
        result = action.get("result", {})
        ends.append(
            (action["status"], action.get("closed_reason"), result.get("outcome"), result.get("result"))
        )
    assert ends == [
        ("executed", None, "done", {"deleted": "cus_1"}),
        ("cancelled", "refused", "refused", {"error": "The customer has an open order."}),
        ("executed", None, "unknown", {"error": "The connection broke."}),
        ("cancelled", "proposer", None, None),
        ("denied", None, None, None),
    ]


def test_what_somebody_else_claims_is_not_run_here(scene: Scene) -> None:
    ran: list[Any] = []

    def first(action: Action) -> bool:
        confirmed = scene.gate.confirm(action, scene.actor)
        assert confirmed["execution"]["claim"] == "open"
        scene.gate.report(scene.gate.claim(action), "done")
        return True

    deleted = scene.gate.gated("customer_deletion", lambda payload, _: ran.append(payload))
    with pytest.raises((NotDone, GateError)):
        deleted({"customer": {"id": "cus_9"}}, actor=scene.actor, confirm=first)
    assert ran == []


class Together(httpx.HTTPTransport):
    """Sends its claims at the same moment as others do."""

    def __init__(self, others: threading.Barrier) -> None:
        super().__init__()
        self.others = others

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/claim"):
            self.others.wait(timeout=30)
        return super().handle_request(request)


def test_of_two_workers_that_claim_the_same_consent_at_once_one_runs_it(scene: Scene) -> None:
    ran: list[int] = []
    others, refused = threading.Barrier(2), threading.Event()

    def delete(_payload: dict[str, Any], action: ClaimedAction) -> dict[str, str]:
        ran.append(action["id"])
        # Its claim is held while the other worker is refused.
        refused.wait(5)
        return {}

    def worker() -> GateError | None:
        with Gate(scene.url, scene.key, transport=Together(others)) as gate:
            how: Any = {"confirm": lambda _: True, "idempotency_key": "one-deletion"}
            try:
                gate.gated("customer_deletion", delete)(
                    {"customer": {"id": "cus_10"}}, actor=scene.actor, **how
                )
            except GateError as error:
                refused.set()
                return error
        return None

    ends = [future.result() for future in [scene.threads.submit(worker) for _ in range(2)]]
    assert len(ran) == 1
    [error] = [end for end in ends if end is not None]
    assert (error.status, error.code) == (409, "already_claimed")
    assert scene.gate.get(ran[0])["status"] == "executed"


def test_money_is_proposed_like_every_other_kind_and_a_refusal_has_its_code(scene: Scene) -> None:
    def refund(gate: Gate, payload: dict[str, Any]) -> Action:
        return gate.propose({"kind": "refund", "actor": scene.actor, "payload": payload})

    proposed = refund(scene.gate, {"payment": "pi_Sandbox03", "amount_cents": 500})
    assert (proposed["status"], proposed["payload"]["amount_cents"]) == ("proposed", 500)
    assert "5.00" in proposed["card"]
    for wrong, param in (
        ({"payment": "pi_Sandbox03", "amount_cents": -5}, "amount_cents"),
        ({"payment": "lunch", "amount_cents": 5}, "payment"),
    ):
        with pytest.raises(GateError) as caught:
            refund(scene.gate, wrong)
        assert (caught.value.code, caught.value.status, caught.value.param) == ("invalid", 422, param)
    with pytest.raises(GateError) as caught:
        scene.gate.propose({**scene.broadcast(""), "payload": {}})
    assert (caught.value.code, caught.value.param) == ("invalid", "payload.message")
    with Gate(scene.url, "qgk_wrong") as revoked:
        for request in (
            lambda: revoked.capability(scene.actor),
            lambda: refund(revoked, {"amount_cents": 1}),
        ):
            with pytest.raises(GateError) as caught:
                request()
            assert (caught.value.status, caught.value.code) == (401, "unauthenticated")


class Unsteady(httpx.HTTPTransport):
    """Loses the first answer, and is too busy for the second request."""

    def __init__(self) -> None:
        super().__init__()
        self.keys: list[str | None] = []

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        self.keys.append(request.headers.get("idempotency-key"))
        if len(self.keys) == 2:
            busy = {"error": "Wait.", "code": "rate_limited", "request_id": "r"}
            return httpx.Response(429, json=busy, headers={"retry-after": "1"})
        answer = super().handle_request(request)
        if len(self.keys) > 2:
            return answer
        answer.read()
        raise httpx.ReadError("lost")


def test_a_write_whose_answer_is_lost_happens_once(scene: Scene) -> None:
    transport = Unsteady()
    with Gate(scene.url, scene.key, transport=transport) as gate:
        proposed = gate.propose(scene.broadcast("Once."))
    assert (len(transport.keys), len(set(transport.keys))) == (3, 1)
    assert transport.keys[0] is not None
    assert [one["id"] for one in scene.actions()] == [proposed["id"]]


def test_one_key_of_yours_proposes_once_and_no_second_request(scene: Scene) -> None:
    first = scene.gate.propose(scene.broadcast("Once."), idempotency_key="lunch")
    assert scene.gate.propose(scene.broadcast("Once."), idempotency_key="lunch")["id"] == first["id"]
    with pytest.raises(GateError) as caught:
        scene.gate.propose(scene.broadcast("Other."), idempotency_key="lunch")
    assert caught.value.code == "idempotency_key_reused"


def test_single_requests(scene: Scene) -> None:
    assert scene.gate.capability(scene.actor)["tier"] == "guarded_write"
    page = scene.gate.request("GET", "/api/v1/actions", query={"limit": 1})
    assert page["actions"][0]["kind"] == "capability_check"
    proposed = scene.gate.propose(scene.broadcast("No."))
    assert scene.gate.wait(proposed, timeout_seconds=0)["status"] == "proposed"
    assert scene.gate.cancel(proposed, scene.actor)["status"] == "cancelled"
    assert scene.gate.wait(proposed)["status"] == "cancelled"
    with pytest.raises(GateError) as caught:
        scene.gate.get(99_999)
    assert (caught.value.code, caught.value.status) == ("not_found", 404)


def test_the_same_with_await(scene: Scene) -> None:
    async def main() -> None:
        async with AsyncGate(scene.url, scene.key) as gate:
            approved = scene.deciding()
            sent, ticks = await asyncio.gather(gate.act(scene.broadcast("Async.")), ticking(approved))
            assert sent["result"]["outcome"] == "done" and ticks > 0

            async def delete(payload: dict[str, Any], _action: ClaimedAction) -> str:
                await asyncio.sleep(0)
                return f"deleted {payload['customer']['id']}"

            async def agree(_action: Action) -> bool:
                await asyncio.sleep(0)
                return True

            deleted = gate.gated("customer_deletion", delete)
            said = await deleted({"customer": {"id": "cus_1"}}, actor=scene.actor, confirm=agree)
            assert said == "deleted cus_1"
            kinds = [one["kind"] async for one in gate.list(exclude_kind="capability_check")]
            assert kinds == ["broadcast", "customer_deletion"]
            open_ = asyncio.ensure_future(gate.act(scene.broadcast("Stopped.")))
            await asyncio.sleep(0.5)
            open_.cancel()
            with pytest.raises(asyncio.CancelledError):
                await open_
            with pytest.raises(NotDone) as caught:
                await gate.act(scene.broadcast("Late."), timeout_seconds=0.1)
            assert caught.value.reason == "open"

    asyncio.run(main())
    with pytest.raises(TypeError, match="AsyncGate"):

        async def agree(_action: Action) -> bool:
            return True

        scene.gate.act(scene.broadcast("Mixed."), confirm=agree)  # type: ignore[arg-type]


async def ticking(future: Any) -> int:
    """Counts while another task waits: the client blocks nobody."""
    ticks, until = 0, time.monotonic() + 60
    while not future.done() and time.monotonic() < until:
        await asyncio.sleep(0.01)
        ticks += 1
    future.result()
    return ticks
