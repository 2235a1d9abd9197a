from __future__ import annotations

import asyncio
from typing import Any

import pytest
from agents import Agent, ModelBehaviorError, RunConfig, Runner, RunState
from conftest import Scene
from frameworks import BROADCAST, DELETION, DINNER, LUNCH, OTHER, Removing, has, parsed
from openai_agents_model import Scripted

from qualification_gate_client import AsyncGate
from qualification_gate_client.adapters.openai_agents import gate_tool, gated, settle


def agent_of(tools: list[Any], *turn: tuple[str, str, dict[str, Any]]) -> Agent[Any]:
    return Agent(name="Agent", model=Scripted(*turn), tools=tools)


async def go(agent: Agent[Any], state: Any = "Go.", context: Any = None) -> Any:
    return await Runner.run(agent, state, context=context, run_config=RunConfig(tracing_disabled=True))


def told_by(result: Any) -> list[Any]:
    return [parsed(one.output) for one in result.new_items if one.type == "tool_call_output_item"]


def test_the_run_is_interrupted_and_believes_no_approval(scene: Scene) -> None:
    async def main() -> None:
        async with AsyncGate(scene.url, scene.key) as gate:
            tools = [gate_tool(gate, "broadcast", actor=scene.actor, **BROADCAST)]
            agent = agent_of(tools, ("call_1", "broadcast", LUNCH))
            stopped = await go(agent)
            assert len(stopped.interruptions) == 1
            stored = stopped.to_state().to_string()
            state = await settle(stopped.to_state(), tools, timeout_seconds=0)
            assert len((await go(agent, state)).interruptions) == 1

            async def approved(text: str) -> Any:
                state = await RunState.from_string(agent, text)
                state.approve(state.get_interruptions()[0])
                return told_by(await go(agent, state))

            # The approval of the framework is not that of the member, nor does it hold for other arguments.
            has((await approved(stored))[0], status="proposed", reason="open")
            with pytest.raises(ModelBehaviorError):
                await approved(stored.replace("Lunch is at noon.", "Pay everybody."))
            changed = agent_of(tools, ("call_1", "broadcast", OTHER))
            has(told_by(await go(changed))[0], status="refused", reason="call_changed")
            assert [one["status"] for one in scene.actions()] == ["proposed"]

            deciding = scene.deciding(changes={"message": "Lunch is at one."})
            state = await settle(await RunState.from_string(agent, stored), tools)
            [told] = told_by(await go(agent, state))
            deciding.result()
            has(told, status="executed")
            assert told["changed_by_member"][0]["to"] == "Lunch is at one."
            # The same call again is the same action.
            again = await settle((await go(agent)).to_state(), tools)
            has(told_by(await go(agent, again))[0], action=told["action"], status="executed")
            assert len(scene.actions()) == 1

    asyncio.run(main())


def test_two_calls_of_one_turn_and_a_denied_or_wrong_one(scene: Scene) -> None:
    tools = [
        gate_tool(scene.gate, "broadcast", actor=lambda context: context, scope=lambda _: "a", **BROADCAST)
    ]

    async def main() -> None:
        agent = agent_of(tools, ("call_1", "broadcast", LUNCH), ("call_2", "broadcast", DINNER))
        stopped = await go(agent, context=scene.actor)
        assert len(stopped.interruptions) == 2
        await asyncio.to_thread(scene.decide, "decline")
        deciding = scene.deciding(times=2)
        state = await settle(stopped.to_state(), tools, context=scene.actor)
        deciding.result()
        told = told_by(await go(agent, state))
        assert sorted(one["status"] for one in told) == ["cancelled", "executed"]
        assert len(scene.actions()) == 2
        [denied] = told_by(
            await go(agent_of(tools, ("call_3", "broadcast", LUNCH)), context={"email": scene.reader})
        )
        has(denied, status="denied", reason="denied")
        wrong = agent_of(tools, ("call_4", "broadcast", {"message": ""}))
        has(told_by(await go(wrong, context=scene.actor))[0], status="invalid", param="payload.message")

    asyncio.run(main())


def test_a_function_of_yours_runs_once_for_its_consent(scene: Scene) -> None:
    async def main() -> None:
        async with AsyncGate(scene.url, scene.key) as gate:
            removing = Removing()
            tools = [gated(gate, "customer_deletion", removing, actor=scene.actor, **DELETION)]
            for n, id in enumerate(["cus_1", "cus_2"]):
                agent = agent_of(tools, (id, "customer_deletion", {"customer": {"id": id}}))
                stored = (await go(agent)).to_state().to_string()
                deciding = scene.deciding(times=n + 1)
                for times in range(2):
                    state = await settle(await RunState.from_string(agent, stored), tools)
                    assert len(removing.ran) == n + times
                    [told] = told_by(await go(agent, state))
                    if n == 0:
                        has(told, status="executed", result={"deleted": id})
                    else:
                        has(told, reason="refused")
                deciding.result()
            assert len(removing.ran) == 2

    asyncio.run(main())
