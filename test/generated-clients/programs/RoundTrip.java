import java.util.LinkedHashMap;
import java.util.Map;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.JSON;
import org.openapitools.client.api.ActionsApi;
import org.openapitools.client.api.MembersApi;
import org.openapitools.client.model.*;

/** The round trip with the client of openapi-generator: {@code RoundTrip URL KEY}. */
public final class RoundTrip {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(args[0]);
    client.setBearerToken(args[1]);
    ActionsApi actions = new ActionsApi(client);
    Actor grace = new Actor(new MemberByEmail().email("grace@example.com"));
    Actor ida = new Actor(new MemberByEmail().email("ida@example.com"));
    Map<String, Object> seen = new LinkedHashMap<>();

    seen.put("capability", new MembersApi(client).checkCapability("grace@example.com", null, null));
    BroadcastProposal lunch =
        new BroadcastProposal().kind(BroadcastProposal.KindEnum.BROADCAST).actor(ida).payload(new BroadcastInput().message("Lunch is at noon."));
    seen.put("denied", actions.requestAction(new Proposal(lunch), null));
    CustomerDeletionInput payload =
        new CustomerDeletionInput().customer(new CustomerDeletionPayloadCustomer().id("cus_1")).keepInvoices(true);
    CustomerDeletionProposal deletion =
        new CustomerDeletionProposal().kind(CustomerDeletionProposal.KindEnum.CUSTOMER_DELETION).actor(grace).payload(payload);
    ActionRequest proposed = actions.requestAction(new Proposal(deletion), "one");
    seen.put("proposed", proposed);
    ConfirmActionRequest consent = new ConfirmActionRequest().actor(grace).digest(proposed.getDigest());
    seen.put("confirmed", actions.confirmAction(proposed.getId(), consent, null));
    seen.put("listed", actions.listActions(10L, null, null, null, null, null, null, null, null));
    ClaimedAction claimed = actions.claimAction(proposed.getId());
    seen.put("claimed", claimed);
    ReportOutcomeRequest report =
        new ReportOutcomeRequest().claim(claimed.getClaim()).outcome(ReportOutcomeRequest.OutcomeEnum.DONE);
    report.setResult(Map.of("deleted", 7));
    seen.put("reported", actions.reportOutcome(proposed.getId(), report));
    seen.put("read", actions.getAction(proposed.getId(), null));
    try {
      actions.cancelAction(999L, new CancelActionRequest().actor(grace), null);
    } catch (ApiException error) {
      seen.put("error", JSON.deserialize(error.getResponseBody(), Object.class));
    }
    System.out.println(JSON.serialize(seen));
  }
}
