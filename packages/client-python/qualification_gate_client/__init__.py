"""Acts through the Qualification Gate: proposes, waits for the member's consent, gives the result."""

from ._async import AsyncGate
from ._errors import GateError, NotDone, NotDoneReason, Refused
from ._gate import Gate
from ._proposal import Outcome, Proposal
from .types import Action, Actor, Capability, ClaimedAction, ListFilters

__all__ = [
    "Action",
    "Actor",
    "AsyncGate",
    "Capability",
    "ClaimedAction",
    "Gate",
    "GateError",
    "ListFilters",
    "NotDone",
    "NotDoneReason",
    "Outcome",
    "Proposal",
    "Refused",
]
