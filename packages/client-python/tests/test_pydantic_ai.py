from __future__ import annotations

import asyncio
from typing import Any

from conftest import Scene
from frameworks import BROADCAST, DELETION, DINNER, LUNCH, OTHER, Removing, has, parsed
from pydantic_ai import Agent, DeferredToolRequests, DeferredToolResults, ToolApproved
from pydantic_ai.messages import ModelMessagesTypeAdapter
from pydantic_ai_model import model_of

from qualification_gate_client import AsyncGate
from qualification_gate_client.adapters.pydantic_ai import gate_tool, gated, settle


def agent_of(tools: list[Any], *turn: tuple[str, str, dict[str, Any]]) -> Agent[Any, Any]:
    return Agent(model_of(*turn), tools=tools, output_type=[str, DeferredToolRequests], deps_type=object)


def told_by(result: Any) -> list[Any]:
    parts = [part for message in result.all_messages() for part in message.parts]
    return [parsed(part.content) for part in parts if part.part_kind == "tool-return"]


def test_the_run_ends_with_a_request_and_believes_no_approval(scene: Scene) -> None:
    async def main() -> None:
        async with AsyncGate(scene.url, scene.key) as gate:
            tools = [gate_tool(gate, "broadcast", actor=scene.actor, **BROADCAST)]
            agent = agent_of(tools, ("call_1", "broadcast", LUNCH))
            stopped = await agent.run("Tell everybody about lunch.", conversation_id="a")
            asked = stopped.output.metadata["call_1"]
            assert asked["digest"] == scene.gate.get(asked["id"])["digest"]
            # As another process reads it.
            history = ModelMessagesTypeAdapter.validate_json(stopped.all_messages_json())

            async def on(results: DeferredToolResults) -> Any:
                return await agent.run(message_history=history, deferred_tool_results=results)

            assert (await settle(stopped.output, tools, timeout_seconds=0)).approvals == {}
            lies: list[Any] = [
                None,
                {"id": asked["id"], "digest": "f" * 64},
                {"id": 99, "digest": asked["digest"]},
                asked,
            ]

            async def lie(metadata: Any) -> Any:
                results = DeferredToolResults(approvals={"call_1": True})
                if metadata is not None:
                    results.metadata["call_1"] = metadata
                return (await on(results)).output

            for metadata in lies:
                assert (await lie(metadata)).metadata["call_1"] == asked
            changed = DeferredToolResults(
                approvals={"call_1": ToolApproved(override_args=OTHER)}, metadata={"call_1": asked}
            )
            has(told_by(await on(changed))[0], status="refused", reason="call_changed")
            assert [one["status"] for one in scene.actions()] == ["proposed"]

            deciding = scene.deciding(changes={"message": "Lunch is at one."})
            settled = await settle(stopped.output, tools)
            deciding.result()
            for metadata in lies[:3]:
                assert (await lie(metadata)).metadata["call_1"]["id"] == asked["id"]
            [told] = told_by(await on(settled))
            has(told, action=asked["id"], status="executed")
            assert told["changed_by_member"][0]["to"] == "Lunch is at one."
            # The same call again is the same action; in another conversation it is another.
            again = await agent.run("Go.", conversation_id="a")
            assert again.output.metadata["call_1"]["id"] == asked["id"]
            other = await agent.run("Go.", conversation_id="b")
            assert other.output.metadata["call_1"]["id"] != asked["id"]
            assert len(scene.actions()) == 2

    asyncio.run(main())


def test_two_calls_of_one_turn_and_a_denied_or_wrong_one(scene: Scene) -> None:
    tools = [gate_tool(scene.gate, "broadcast", actor=lambda context: context.deps, **BROADCAST)]

    async def main() -> None:
        agent = agent_of(tools, ("call_1", "broadcast", LUNCH), ("call_2", "broadcast", DINNER))
        stopped = await agent.run("Go.", deps=scene.actor)
        assert len(stopped.output.approvals) == 2
        await asyncio.to_thread(scene.decide, "decline")
        deciding = scene.deciding(times=2)
        settled = await settle(stopped.output, tools)
        deciding.result()
        told = told_by(
            await agent.run(
                message_history=stopped.all_messages(), deferred_tool_results=settled, deps=scene.actor
            )
        )
        assert sorted(one["status"] for one in told) == ["cancelled", "executed"]
        assert len(scene.actions()) == 2
        readers = agent_of(tools, ("call_3", "broadcast", LUNCH))
        [denied] = told_by(await readers.run("Go.", deps={"email": scene.reader}))
        has(denied, status="denied", reason="denied")
        wrong = agent_of(tools, ("call_4", "broadcast", {"message": ""}))
        has(told_by(await wrong.run("Go.", deps=scene.actor))[0], status="invalid", param="payload.message")

    asyncio.run(main())


def test_a_function_of_yours_runs_once_for_its_consent(scene: Scene) -> None:
    async def main() -> None:
        async with AsyncGate(scene.url, scene.key) as gate:
            removing = Removing()
            tools = [gated(gate, "customer_deletion", removing, actor=scene.actor, **DELETION)]
            for n, id in enumerate(["cus_1", "cus_2"]):
                agent = agent_of(tools, (id, "customer_deletion", {"customer": {"id": id}}))
                stopped = await agent.run("Go.")
                deciding = scene.deciding(times=n + 1)
                settled = await settle(stopped.output, tools)
                deciding.result()
                assert len(removing.ran) == n
                for _times in range(2):
                    history = stopped.all_messages()
                    ended = await agent.run(message_history=history, deferred_tool_results=settled)
                    [told] = told_by(ended)
                    if n == 0:
                        has(told, status="executed", result={"deleted": id})
                    else:
                        has(told, reason="refused")
            assert len(removing.ran) == 2

    asyncio.run(main())
