"""Types of the gate's answers, made from its OpenAPI description. Do not edit: `npm run test:snapshots` writes this file."""

from typing import Any, Literal

from typing_extensions import NotRequired, TypedDict


class MemberByEmail(TypedDict):
    # The member's e-mail address.
    email: str


class MemberAtProvider(TypedDict):
    provider: Literal["email", "slack"]
    # The member's id at the provider.
    external_id: str


Actor = MemberByEmail | MemberAtProvider


class CapabilityMember(TypedDict):
    name: str
    email: str | None
    providers: list[str]


class CapabilityCertifications(TypedDict):
    curriculum: str
    title: str
    certified: bool
    modules_passed: int
    modules_total: int
    last_passed_at: str | None


class Capability(TypedDict):
    member: CapabilityMember
    tier: Literal["read_only", "guarded_write", "write"]
    tier_source: Literal["admin", "certification", "default"]
    certified: bool
    certifications: list[CapabilityCertifications]


class ActionBlastRadius(TypedDict):
    """How many members a broadcast reaches, by channel. Zeros for other kinds."""

    slack: int
    email: int
    unreachable: int
    # Posts in the room in Microsoft Teams.
    teams: NotRequired[int]


class ActionConsentMandateLeft(TypedDict):
    """What is left of it now. Not in lists."""

    uses: int
    uses_today: int
    cents: dict[str, int]
    cents_today: dict[str, int]


class ActionConsentMandate(TypedDict):
    id: int
    # What is left of it now. Not in lists.
    left: NotRequired[ActionConsentMandateLeft]


class ActionConsent(TypedDict):
    strength: Literal["agent_attested", "client_attested", "chat", "page", "passkey"]
    # `mandate` where a mandate of the member consented.
    by: str
    at: str
    channel: str
    mandate: NotRequired[ActionConsentMandate]


class ActionConsentRequest(TypedDict):
    """Present while a consent request to the member is open. After an approval the action executes automatically."""

    required: Literal["chat", "page", "passkey"]
    requested_via: Literal["slack", "teams", "email"]
    requested_at: str
    # What to do now.
    next: str


ActionAwaitingApprovals = TypedDict(
    "ActionAwaitingApprovals",
    {
        "needed": int,
        "given": int,
        "from": str,
        "next": str,
    },
)


class ActionExecution(TypedDict):
    state: Literal["running"]
    delivered: int
    remaining: int
    # Of an action that is executed by claim. open: claim_action gives it to you.
    claim: NotRequired[Literal["open", "held", "ended"]]
    # Calls of its executor or provider so far.
    attempts: NotRequired[int]
    # Why the last of them failed.
    last_error: NotRequired[str]
    failing_since: NotRequired[str]
    next_attempt_at: NotRequired[str]
    # No attempt begins after it.
    repeated_until: NotRequired[str]


ActionEditedByMemberChanges = TypedDict(
    "ActionEditedByMemberChanges",
    {
        "field": str,
        "from": NotRequired[Any],
        "to": NotRequired[Any],
    },
)


class ActionEditedByMember(TypedDict):
    """What the member changed before they approved. `payload` and `digest` are what they made of it."""

    former_digest: str
    changes: list[ActionEditedByMemberChanges]


class Action(TypedDict):
    """An action, with its state and result."""

    id: int
    kind: str
    # Of a declared kind: the version of its document that the action is executed by.
    kind_version: NotRequired[int]
    status: Literal["proposed", "denied", "cancelled", "executed"]
    # The member's e-mail address or `slack:U…` when the action was created.
    member: str
    tier_at_request: Literal["read_only", "guarded_write", "write"]
    source: str
    # The name of the API key that proposed it.
    requested_by: NotRequired[str]
    # The host of the connected app that proposed it. Absent: it was not one.
    requested_host: NotRequired[str]
    payload: dict[str, Any]
    created_at: str
    denial_reason: NotRequired[str]
    # Which rule denied it. Later versions have more.
    denial_code: NotRequired[str]
    # The tier that would suffice.
    needed_tier: NotRequired[Literal["read_only", "guarded_write", "write"]]
    # The curricula that grant that tier.
    curricula: NotRequired[list[str]]
    # Why the agent asks for it.
    rationale: NotRequired[str]
    # The consent that the policy required when it was proposed.
    consent_required: NotRequired[Literal["agent_attested", "client_attested", "chat", "page", "passkey"]]
    # Of an open proposal that moves money, where it is read or proposed: what the member is asked, as text to show them.
    card: NotRequired[str]
    requires_confirmation: bool
    # How many members a broadcast reaches, by channel. Zeros for other kinds.
    blast_radius: ActionBlastRadius
    result: NotRequired[dict[str, Any]]
    executed_at: NotRequired[str]
    expires_at: NotRequired[str]
    # Hex SHA-256 of what the member consents to.
    digest: NotRequired[str]
    # Hex SHA-256 of the frozen recipients.
    recipients_digest: NotRequired[str]
    consent: NotRequired[ActionConsent]
    # Of an action whose member consented, for 30 days: a signed receipt (compact JWS) that other services can verify with `/.well-known/gate-receipts.json`. Not in lists.
    receipt: NotRequired[str]
    # Why a consented action has no `receipt`. `payload_changed`: its stored payload is not the one that the member consented to. Do not act on it; tell the operator of the gate.
    receipt_problem: NotRequired[Literal["payload_changed"]]
    # Present while a consent request to the member is open. After an approval the action executes automatically.
    consent_request: NotRequired[ActionConsentRequest]
    # Present while the member has consented and others must still approve. After the last approval the action executes automatically.
    awaiting_approvals: NotRequired[ActionAwaitingApprovals]
    # Why no mandate of the member covers the action, so that they are asked.
    mandate_problem: NotRequired[str]
    # Of the answer to a proposal that the member is to be asked about at once: why nobody was asked, and what to do.
    consent_request_problem: NotRequired[str]
    # The id of an identical action: the oldest open one, or else the one confirmed last in the 24 hours before this proposal.
    duplicate_of: NotRequired[int]
    # The id of the action that this one answers: the member declined it.
    replaces: NotRequired[int]
    execution: NotRequired[ActionExecution]
    # Why it is `cancelled`. proposer: the agent cancelled. refused: the provider refused.
    closed_reason: NotRequired[Literal["proposer", "member_declined", "approver_declined", "expired", "admin", "refused"]]
    # What the member changed before they approved. `payload` and `digest` are what they made of it.
    edited_by_member: NotRequired[ActionEditedByMember]
    # Why the member declined it.
    decline_reason: NotRequired[str]


class ClaimedAction(Action):
    """A confirmed action, for its executor."""

    # Report the outcome before.
    lease_expires_at: str
    # Shown once. report_outcome needs it.
    claim: str


class ErrorBody(TypedDict):
    """Why a request was refused."""

    # What was wrong and what to do next, for people.
    error: str
    # For programs. Later versions have more.
    code: str
    # The field, parameter or header that was wrong, such as `payload.message`.
    param: NotRequired[str]
    # The same as the header X-Request-Id.
    request_id: str


class BroadcastPayload(TypedDict):
    message: NotRequired[str]


class BroadcastResultFailed(TypedDict):
    slack: int
    email: int
    teams: NotRequired[int]


class BroadcastResultUnknown(TypedDict):
    """Perhaps delivered. They are not sent again."""

    slack: int
    email: int
    teams: NotRequired[int]


class BroadcastResult(TypedDict):
    outcome: Literal["done", "partial", "refused", "unknown"]
    # Messages delivered in Slack.
    slack: int
    # Messages delivered by e-mail.
    email: int
    # Posts that the Microsoft Teams room took.
    teams: NotRequired[int]
    unreachable: int
    failed: BroadcastResultFailed
    # Perhaps delivered. They are not sent again.
    unknown: BroadcastResultUnknown
    stopped: NotRequired[Literal["account_suspended"]]
    sandbox: NotRequired[bool]


class RefundPayload(TypedDict):
    payment: NotRequired[str]
    amount_cents: NotRequired[int]
    currency: NotRequired[str]
    # Whose payment it is, where Stripe names one.
    customer: NotRequired[str]
    reason: NotRequired[str]


class RefundResult(TypedDict):
    outcome: Literal["done", "partial", "refused", "unknown"]
    provider: str
    # The provider's code of a refusal or an unknown outcome.
    code: NotRequired[str]
    # Why the provider refused, in its words: at most one line. Not written by the gate.
    provider_message: NotRequired[str]
    # The id of what was made at the provider.
    provider_id: NotRequired[str]
    # The status at the provider.
    status: NotRequired[str]
    amount_cents: NotRequired[int]
    currency: NotRequired[str]
    # true: no money moved.
    sandbox: NotRequired[bool]


class PayoutPayload(TypedDict):
    amount_cents: NotRequired[int]
    currency: NotRequired[str]
    # The fingerprint of the provider key.
    credential: NotRequired[str]
    description: NotRequired[str]


class PayoutResult(TypedDict):
    outcome: Literal["done", "partial", "refused", "unknown"]
    provider: str
    # The provider's code of a refusal or an unknown outcome.
    code: NotRequired[str]
    # Why the provider refused, in its words: at most one line. Not written by the gate.
    provider_message: NotRequired[str]
    # The id of what was made at the provider.
    provider_id: NotRequired[str]
    # The status at the provider.
    status: NotRequired[str]
    amount_cents: NotRequired[int]
    currency: NotRequired[str]
    # true: no money moved.
    sandbox: NotRequired[bool]


class CheckoutPayload(TypedDict):
    mode: NotRequired[Literal["payment", "subscription"]]
    amount_cents: NotRequired[int]
    quantity: NotRequired[int]
    # `amount_cents` times `quantity`.
    total_cents: NotRequired[int]
    currency: NotRequired[str]
    # The fingerprint of the provider key.
    credential: NotRequired[str]
    price: NotRequired[str]
    description: NotRequired[str]
    customer: NotRequired[str]
    return_url: NotRequired[str]


class CheckoutResult(TypedDict):
    outcome: Literal["done", "partial", "refused", "unknown"]
    provider: str
    # The provider's code of a refusal or an unknown outcome.
    code: NotRequired[str]
    # Why the provider refused, in its words: at most one line. Not written by the gate.
    provider_message: NotRequired[str]
    # The id of what was made at the provider.
    provider_id: NotRequired[str]
    # The status at the provider.
    status: NotRequired[str]
    amount_cents: NotRequired[int]
    currency: NotRequired[str]
    # true: no money moved.
    sandbox: NotRequired[bool]
    # The page where the customer pays.
    url: NotRequired[str]


class SubscriptionCancellationPayload(TypedDict):
    subscription: NotRequired[str]
    at_period_end: NotRequired[bool]
    # The price of one period, before discounts.
    amount_cents: NotRequired[int]
    currency: NotRequired[str]
    interval: NotRequired[str]


class SubscriptionCancellationResult(TypedDict):
    outcome: Literal["done", "partial", "refused", "unknown"]
    provider: str
    # The provider's code of a refusal or an unknown outcome.
    code: NotRequired[str]
    # Why the provider refused, in its words: at most one line. Not written by the gate.
    provider_message: NotRequired[str]
    # The id of what was made at the provider.
    provider_id: NotRequired[str]
    # The status at the provider.
    status: NotRequired[str]
    amount_cents: NotRequired[int]
    currency: NotRequired[str]
    # true: no money moved.
    sandbox: NotRequired[bool]


class ListFilters(TypedDict):
    # 1 to 200.
    limit: NotRequired[int]
    # desc: newest first.
    order: NotRequired[Literal["asc", "desc"]]
    # `next_after` of the page before.
    after: NotRequired[int]
    kind: NotRequired[str]
    # Kinds to leave out, such as `capability_check`, separated by commas.
    exclude_kind: NotRequired[str]
    status: NotRequired[Literal["proposed", "denied", "cancelled", "executed"]]
    # E-mail address, `slack:U…` or member id.
    member: NotRequired[str]
    # Created at this time or later, such as 2026-01-31T12:00:00Z.
    created_after: NotRequired[str]
    # Created before this time.
    created_before: NotRequired[str]
