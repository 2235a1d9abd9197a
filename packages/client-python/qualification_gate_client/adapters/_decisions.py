"""What of an action a framework waits for, and is answered about."""

from __future__ import annotations

from typing import Any

from ..types import Action


def is_open(action: Action) -> bool:
    """Nobody has decided: the member, or others who must approve."""
    return action["status"] == "proposed" and "execution" not in action


def is_asked(action: Action) -> bool:
    return not is_open(action) or "consent_request" in action or "awaiting_approvals" in action


def needed_decision(action: Action) -> bool:
    """Whether somebody was to decide. It was neither denied at once nor covered by a mandate."""
    by_mandate = action.get("consent", {}).get("by") == "mandate"
    return is_asked(action) and action["status"] != "denied" and not by_mandate


def binding_of(action: Action) -> dict[str, Any]:
    """What an interrupt carries, and its answer repeats."""
    return {"id": action["id"], "digest": action.get("digest")}


def is_bound(action: Action, answer: Any) -> bool:
    """Whether an answer is for this action, as its member was asked."""
    if not isinstance(answer, dict) or not isinstance(answer.get("digest"), str):
        return False
    former = action.get("edited_by_member", {}).get("former_digest")
    return answer.get("id") == action["id"] and answer["digest"] in (action.get("digest"), former)
