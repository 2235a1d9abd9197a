"""Money is proposed by tools of MCP, each with fields of its own."""

from __future__ import annotations

import json
from typing import Any

import httpx

from ._errors import GateError
from ._proposal import Proposal
from ._requests import json_of, repeated
from ._steps import Request, Steps

TOOLS = {
    "refund": "issue_refund",
    "payout": "send_payout",
    "checkout": "create_checkout",
    "subscription_cancellation": "cancel_subscription",
}

# Errors of tools have no status of HTTP.
_STATUS_OF = {
    "unavailable": 503,
    "outcome_unknown": 503,
    "rate_limited": 429,
    "forbidden": 403,
    "not_found": 404,
}


def propose_money(tool: str, proposal: Proposal, idempotency_key: str) -> Steps[Any]:
    others = {name: value for name, value in proposal.items() if name not in ("kind", "payload")}
    arguments = {**proposal["payload"], **others, "idempotency_key": idempotency_key}
    call = {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": tool, "arguments": arguments},
    }
    headers = {"accept": "application/json, text/event-stream"}
    return (yield from repeated(Request("POST", "/api/mcp", call, headers=headers), _content))


def _content(response: httpx.Response) -> Any:
    body = json_of(response)
    result = body.get("result")
    if result is not None and not result.get("isError"):
        return result["structuredContent"]
    if result is not None:
        said = json.loads(result["content"][0]["text"])
    else:
        said = {"error": body["error"]["message"], "code": "invalid"}
    raise GateError(said, _STATUS_OF.get(said["code"], 422))
