from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from conftest import Scene
from frameworks import BROADCAST, DELETION, DINNER, LUNCH, OTHER, Removing, has, parsed
from langchain.agents import create_agent
from langchain_model import Model
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.checkpoint.sqlite import SqliteSaver
from langgraph.types import Command

from qualification_gate_client import AsyncGate, Gate
from qualification_gate_client.adapters import langchain, langgraph


def call(args: dict[str, Any], id: str = "call_1", name: str = "broadcast") -> dict[str, Any]:
    return {"name": name, "args": args, "id": id}


USER: Any = {"messages": [{"role": "user", "content": "Tell everybody about lunch."}]}


def agent_of(tools: list[Any], checkpointer: Any, *turn: dict[str, Any]) -> Any:
    return create_agent(Model(turn=list(turn)), tools, checkpointer=checkpointer)


def at(thread: str) -> Any:
    return {"configurable": {"thread_id": thread}}


def asked_by(result: Any) -> list[Any]:
    return [one.value for one in result["__interrupt__"]]


def told_by(result: Any) -> list[Any]:
    return [parsed(one.content) for one in result["messages"] if one.type == "tool"]


def bound(asked: Any) -> dict[str, Any]:
    return {"id": asked["id"], "digest": asked["digest"]}


def resume(asked: Any) -> Command[Any]:
    return Command(resume=bound(asked))


def test_it_interrupts_with_id_and_digest_and_believes_no_answer(scene: Scene) -> None:
    checkpointer = InMemorySaver()
    tool = langgraph.gate_tool(scene.gate, "broadcast", actor=scene.actor, **BROADCAST)

    def agent() -> Any:
        return agent_of([tool], checkpointer, call(LUNCH))

    [asked] = asked_by(agent().invoke(USER, at("a")))
    assert asked["digest"] == scene.gate.get(asked["id"])["digest"]
    lies: list[Any] = [
        True,
        {"approved": True},
        {"id": asked["id"], "digest": "f" * 64},
        {"id": 99, "digest": asked["digest"]},
        {"id": asked["id"]},
    ]

    def lie() -> None:
        for answer in lies:
            [again] = asked_by(agent().invoke(Command(resume=answer), at("a")))
            assert "another action" in again["next"]

    lie()
    scene.decide(changes={"message": "Lunch is at one."})
    scene.gate.wait(scene.gate.get(asked["id"]))
    lie()
    [told] = told_by(agent().invoke(resume(asked), at("a")))
    has(told, action=asked["id"], status="executed")
    assert told["changed_by_member"][0]["to"] == "Lunch is at one."
    assert len(scene.actions()) == 1


def test_two_calls_of_one_turn_are_two_actions_each_with_its_own_answer(scene: Scene) -> None:
    tool = langgraph.gate_tool(scene.gate, "broadcast", actor=scene.actor, **BROADCAST)
    agent = agent_of([tool], InMemorySaver(), call(LUNCH), call(DINNER, "call_2"))
    first, second = agent.invoke(USER, at("b"))["__interrupt__"]
    crossed = {first.id: bound(second.value), second.id: bound(first.value)}
    again = agent.invoke(Command(resume=crossed), at("b"))
    assert all("another action" in value["next"] for value in asked_by(again))
    scene.decide(does="decline")
    own = {one.id: bound(one.value) for one in again["__interrupt__"]}
    [open_] = asked_by(agent.invoke(Command(resume=own), at("b")))
    assert "Nobody has decided" in open_["next"]
    scene.decide(times=2)
    scene.gate.wait(scene.gate.get(open_["id"]))
    told = told_by(agent.invoke(resume(open_), at("b")))
    assert sorted(one["status"] for one in told) == ["cancelled", "executed"]
    assert len(scene.actions()) == 2


def test_a_repeated_call_is_one_action_and_changed_arguments_are_refused(scene: Scene) -> None:
    tool = langgraph.gate_tool(scene.gate, "broadcast", actor=scene.actor, **BROADCAST)
    [asked] = asked_by(agent_of([tool], InMemorySaver(), call(LUNCH)).invoke(USER, at("c")))
    scene.decide()
    scene.gate.wait(scene.gate.get(asked["id"]))
    repeated = agent_of([tool], InMemorySaver(), call(LUNCH))
    assert asked_by(repeated.invoke(USER, at("c")))[0]["id"] == asked["id"]
    [changed] = told_by(agent_of([tool], InMemorySaver(), call(OTHER)).invoke(USER, at("c")))
    has(changed, status="refused", reason="call_changed")
    has(told_by(repeated.invoke(resume(asked), at("c")))[0], action=asked["id"], status="executed")
    assert [one["payload"] for one in scene.actions()] == [LUNCH]

    other = agent_of([tool], InMemorySaver(), call(LUNCH)).invoke(USER, at("d"))
    assert asked_by(other)[0]["id"] != asked["id"]
    reading = langgraph.gate_tool(
        scene.gate, "broadcast", actor=lambda _: {"email": scene.reader}, **BROADCAST
    )
    [denied] = told_by(agent_of([reading], InMemorySaver(), call(LUNCH)).invoke(USER, at("e")))
    has(denied, status="denied", reason="denied")
    wrong = agent_of([tool], InMemorySaver(), call({"message": ""}))
    has(told_by(wrong.invoke(USER, at("f")))[0], status="invalid", param="payload.message")


def test_a_function_of_yours_runs_once_for_its_consent(scene: Scene) -> None:
    removing = Removing()
    tool = langgraph.gated(scene.gate, "customer_deletion", removing, actor=scene.actor, **DELETION)
    for n, id in enumerate(["cus_1", "cus_2"]):
        checkpointer = InMemorySaver()
        agent = agent_of([tool], checkpointer, call({"customer": {"id": id}}, id, "customer_deletion"))
        [asked] = asked_by(agent.invoke(USER, at(id)))
        assert len(removing.ran) == n
        scene.decide(times=n + 1, changes={"why": "They asked."})
        [told] = told_by(agent.invoke(resume(asked), at(id)))
        if n == 0:
            has(told, status="executed", result={"deleted": id})
        else:
            has(told, reason="refused", message="The customer has an open order.")
    assert removing.ran[0] == {"customer": {"id": "cus_1"}, "why": "They asked."}
    again = agent_of(
        [tool], InMemorySaver(), call({"customer": {"id": "cus_1"}}, "cus_1", "customer_deletion")
    )
    [asked] = asked_by(again.invoke(USER, at("cus_1")))
    has(told_by(again.invoke(resume(asked), at("cus_1")))[0], result={"deleted": "cus_1"})
    assert len(removing.ran) == 2


def die_after_the_interrupt(folder: str, url: str, key: str, email: str) -> None:
    """In a process of its own: it runs to the interrupt, and is killed."""
    gate = Gate(url, key)
    tool = langgraph.gate_tool(gate, "broadcast", actor={"email": email}, **BROADCAST)
    with SqliteSaver.from_conn_string(f"{folder}/checkpoints") as checkpointer:
        agent_of([tool], checkpointer, call(LUNCH)).invoke(USER, at("killed"))
        os.kill(os.getpid(), signal.SIGKILL)


def test_a_process_that_dies_after_the_interrupt_is_resumed_by_another(scene: Scene, tmp_path: Path) -> None:
    program = "import sys; from test_langgraph import die_after_the_interrupt as die; die(*sys.argv[1:])"
    arguments = [str(tmp_path), scene.url, scene.key, scene.email]
    died = subprocess.run([sys.executable, "-c", program, *arguments], cwd=Path(__file__).parent, check=False)
    assert died.returncode == -signal.SIGKILL
    tool = langgraph.gate_tool(scene.gate, "broadcast", actor=scene.actor, **BROADCAST)
    with SqliteSaver.from_conn_string(f"{tmp_path}/checkpoints") as checkpointer:
        agent = agent_of([tool], checkpointer)
        [task] = agent.get_state(at("killed")).tasks
        asked = task.interrupts[0].value
        scene.decide()
        scene.gate.wait(scene.gate.get(asked["id"]))
        [told] = told_by(agent.invoke(resume(asked), at("killed")))
    has(told, action=asked["id"], status="executed")
    assert len(scene.actions()) == 1


def test_the_same_with_await(scene: Scene) -> None:
    async def main() -> None:
        async with AsyncGate(scene.url, scene.key) as gate:
            tool = langgraph.gate_tool(gate, "broadcast", actor=scene.actor, **BROADCAST)
            agent = agent_of([tool], InMemorySaver(), call(LUNCH))
            [asked] = asked_by(await agent.ainvoke(USER, at("async")))
            await asyncio.to_thread(scene.decide)
            await gate.wait(await gate.get(asked["id"]))
            has(told_by(await agent.ainvoke(resume(asked), at("async")))[0], status="executed")
            with pytest.raises(TypeError, match="AsyncGate"):
                agent_of([tool], InMemorySaver(), call(LUNCH)).invoke(USER, at("sync"))

    asyncio.run(main())


def test_a_tool_of_langchain_waits(scene: Scene) -> None:
    tool = langchain.gate_tool(scene.gate, "broadcast", actor=scene.actor, **BROADCAST)

    def invoke(args: dict[str, Any], id: str, used: Any = tool) -> Any:
        return parsed(used.invoke({**call(args, id), "type": "tool_call"}).content)

    approved = scene.deciding(changes={"message": "Lunch is at one."})
    sent = invoke(LUNCH, "call_1")
    approved.result()
    has(sent, status="executed")
    has(invoke(LUNCH, "call_1"), action=sent["action"], status="executed")
    has(invoke(OTHER, "call_1"), reason="call_changed")
    declined = scene.deciding(does="decline", times=2)
    has(invoke(DINNER, "call_2"), status="cancelled", reason="declined")
    declined.result()
    hasty = langchain.gate_tool(scene.gate, "broadcast", actor=scene.actor, timeout_seconds=0.5, **BROADCAST)
    has(invoke(LUNCH, "call_3", hasty), status="proposed", reason="open")
    schema = {"type": "object", "properties": {"payment": {"type": "string"}}}
    refunds = langchain.gate_tool(
        scene.gate, "refund", actor=scene.actor, timeout_seconds=0, description="Refund.", schema=schema
    )
    args = {
        "payment": "pi_Sandbox03",
        "amount_cents": 500,
        "actor": {"email": "eve@example.com"},
        "ask": False,
    }
    has(invoke(args, "call_4", refunds), status="proposed")
    assert scene.actions("refund")[0]["member"] == scene.email
