"""The round trip with the client of openapi-python-client: `openapi_python_client.py URL KEY`."""
import json
import sys

from qualification_gate_client import AuthenticatedClient
from qualification_gate_client.api.actions import (
    cancel_action, claim_action, confirm_action, get_action, list_actions, report_outcome, request_action,
)
from qualification_gate_client.api.members import check_capability
from qualification_gate_client.models import (
    BroadcastInput, BroadcastProposal, CancelActionBody, ConfirmActionBody, CustomerDeletionInput,
    CustomerDeletionInputCustomer, CustomerDeletionProposal, MemberByEmail, ReportOutcomeBody, ReportOutcomeBodyOutcome,
    ReportOutcomeBodyResult,
)

url, key = sys.argv[1:]
client = AuthenticatedClient(base_url=url, token=key)
grace, ida = MemberByEmail(email="grace@example.com"), MemberByEmail(email="ida@example.com")
seen = {}


def show(name, answer):
    seen[name] = answer.to_dict()
    return answer


show("capability", check_capability.sync(client=client, email="grace@example.com"))
lunch = BroadcastInput(message="Lunch is at noon.")
show("denied", request_action.sync(client=client, body=BroadcastProposal(kind="broadcast", actor=ida, payload=lunch)))
payload = CustomerDeletionInput(customer=CustomerDeletionInputCustomer(id="cus_1"), keep_invoices=True)
proposal = CustomerDeletionProposal(kind="customer_deletion", actor=grace, payload=payload)
proposed = show("proposed", request_action.sync(client=client, body=proposal, idempotency_key="one"))
id = proposed.id
show("confirmed", confirm_action.sync(id, client=client, body=ConfirmActionBody(actor=grace, digest=proposed.digest)))
show("listed", list_actions.sync(client=client, limit=10))
claimed = show("claimed", claim_action.sync(id, client=client))
result = ReportOutcomeBodyResult.from_dict({"deleted": 7})
report = ReportOutcomeBody(claim=claimed.claim, outcome=ReportOutcomeBodyOutcome.DONE, result=result)
show("reported", report_outcome.sync(id, client=client, body=report))
show("read", get_action.sync(id, client=client))
show("error", cancel_action.sync(999, client=client, body=CancelActionBody(actor=grace)))
print(json.dumps(seen))
