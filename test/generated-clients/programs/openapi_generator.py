"""The round trip with the client of openapi-generator: `openapi_generator.py URL KEY`."""
import json
import sys

from openapi_client import (
    ActionsApi, Actor, ApiClient, ApiException, BroadcastInput, BroadcastProposal, CancelActionRequest, Configuration,
    ConfirmActionRequest, CustomerDeletionInput, CustomerDeletionPayloadCustomer, CustomerDeletionProposal, MemberByEmail,
    MembersApi, Proposal, ReportOutcomeRequest,
)

url, key = sys.argv[1:]
client = ApiClient(Configuration(host=url, access_token=key))
actions = ActionsApi(client)
seen = {}


def show(name, answer):
    seen[name] = client.sanitize_for_serialization(answer)
    return answer


def of(email):
    return Actor(MemberByEmail(email=email))


show("capability", MembersApi(client).check_capability(email="grace@example.com"))
lunch = BroadcastInput(message="Lunch is at noon.")
show("denied", actions.request_action(Proposal(BroadcastProposal(kind="broadcast", actor=of("ida@example.com"), payload=lunch))))
payload = CustomerDeletionInput(customer=CustomerDeletionPayloadCustomer(id="cus_1"), keep_invoices=True)
proposal = CustomerDeletionProposal(kind="customer_deletion", actor=of("grace@example.com"), payload=payload)
proposed = show("proposed", actions.request_action(Proposal(proposal), idempotency_key="one"))
id = proposed.id
show("confirmed", actions.confirm_action(id, ConfirmActionRequest(actor=of("grace@example.com"), digest=proposed.digest)))
show("listed", actions.list_actions(limit=10))
claimed = show("claimed", actions.claim_action(id))
report = ReportOutcomeRequest(claim=claimed.claim, outcome="done", result={"deleted": 7})
show("reported", actions.report_outcome(id, report))
show("read", actions.get_action(id))
try:
    actions.cancel_action(999, CancelActionRequest(actor=of("grace@example.com")))
except ApiException as error:
    seen["error"] = json.loads(error.body)
print(json.dumps(seen))
