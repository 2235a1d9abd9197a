// The round trip with the client of openapi-generator: `main URL KEY`.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"os"

	gate "gate/client"
)

func main() {
	ctx := context.WithValue(context.Background(), gate.ContextAccessToken, os.Args[2])
	settings := gate.NewConfiguration()
	settings.Servers = gate.ServerConfigurations{{URL: os.Args[1]}}
	client := gate.NewAPIClient(settings)
	actions := client.ActionsAPI
	actorOf := func(email string) gate.Actor {
		return gate.MemberByEmailAsActor(gate.NewMemberByEmail(email))
	}
	grace, ida := actorOf("grace@example.com"), actorOf("ida@example.com")
	seen := map[string]any{}

	capability, _, err := client.MembersAPI.CheckCapability(ctx).Email("grace@example.com").Execute()
	show(seen, "capability", capability, err)
	lunch := gate.NewBroadcastProposal("broadcast", ida, *gate.NewBroadcastInput("Lunch is at noon."))
	denied, _, err := actions.RequestAction(ctx).Proposal(gate.BroadcastProposalAsProposal(lunch)).Execute()
	show(seen, "denied", denied, err)
	payload := gate.NewCustomerDeletionInput(*gate.NewCustomerDeletionPayloadCustomer("cus_1"))
	payload.SetKeepInvoices(true)
	deletion := gate.CustomerDeletionProposalAsProposal(gate.NewCustomerDeletionProposal("customer_deletion", grace, *payload))
	proposed, _, err := actions.RequestAction(ctx).IdempotencyKey("one").Proposal(deletion).Execute()
	show(seen, "proposed", proposed, err)
	consent := gate.NewConfirmActionRequest(grace)
	consent.Digest = proposed.Digest
	confirmed, _, err := actions.ConfirmAction(ctx, proposed.Id).ConfirmActionRequest(*consent).Execute()
	show(seen, "confirmed", confirmed, err)
	listed, _, err := actions.ListActions(ctx).Limit(10).Execute()
	show(seen, "listed", listed, err)
	claimed, _, err := actions.ClaimAction(ctx, proposed.Id).Execute()
	show(seen, "claimed", claimed, err)
	report := gate.NewReportOutcomeRequest(claimed.Claim, "done")
	var seven any = 7
	report.SetResult(map[string]*any{"deleted": &seven})
	reported, _, err := actions.ReportOutcome(ctx, proposed.Id).ReportOutcomeRequest(*report).Execute()
	show(seen, "reported", reported, err)
	read, _, err := actions.GetAction(ctx, proposed.Id).Execute()
	show(seen, "read", read, err)
	_, _, err = actions.CancelAction(ctx, 999).CancelActionRequest(*gate.NewCancelActionRequest(grace)).Execute()
	var refused *gate.GenericOpenAPIError
	if !errors.As(err, &refused) {
		panic(err)
	}
	seen["error"] = refused.Model()
	json.NewEncoder(os.Stdout).Encode(seen)
}

func show(seen map[string]any, name string, answer any, err error) {
	if err != nil {
		panic(name + ": " + err.Error())
	}
	seen[name] = answer
}
