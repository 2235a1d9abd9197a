/** The round trip with the client of openapi-generator for fetch: `typescript-fetch.ts URL KEY`. */
import {
  ActionPageToJSON,
  ActionRequestToJSON,
  ActionsApi,
  CapabilityToJSON,
  ClaimedActionToJSON,
  Configuration,
  MembersApi,
  ResponseError,
} from './client/index.js'

const [basePath, accessToken] = process.argv.slice(2)
const configuration = new Configuration({ basePath: basePath!, accessToken: accessToken! })
const actions = new ActionsApi(configuration)
const [grace, ida] = [{ email: 'grace@example.com' }, { email: 'ida@example.com' }]
const seen: Record<string, unknown> = {}

const capability = await new MembersApi(configuration).checkCapability(grace)
seen['capability'] = CapabilityToJSON(capability)
const denied = await actions.requestAction({
  proposal: { kind: 'broadcast', actor: ida, payload: { message: 'Lunch is at noon.' } },
})
seen['denied'] = ActionRequestToJSON(denied)
const proposed = await actions.requestAction({
  idempotencyKey: 'one',
  proposal: {
    kind: 'customer_deletion',
    actor: grace,
    payload: { customer: { id: 'cus_1' }, keepInvoices: true },
  },
})
seen['proposed'] = ActionRequestToJSON(proposed)
const { id, digest } = proposed
const confirmed = await actions.confirmAction({ id, confirmActionRequest: { actor: grace, digest: digest! } })
seen['confirmed'] = ActionRequestToJSON(confirmed)
seen['listed'] = ActionPageToJSON(await actions.listActions({ limit: 10 }))
const claimed = await actions.claimAction({ id })
seen['claimed'] = ClaimedActionToJSON(claimed)
const reported = await actions.reportOutcome({
  id,
  reportOutcomeRequest: { claim: claimed.claim, outcome: 'done', result: { deleted: 7 } },
})
seen['reported'] = ActionRequestToJSON(reported)
seen['read'] = ActionRequestToJSON(await actions.getAction({ id }))
try {
  await actions.cancelAction({ id: 999, cancelActionRequest: { actor: grace } })
} catch (error) {
  if (!(error instanceof ResponseError)) throw error
  seen['error'] = await error.response.json()
}
process.stdout.write(JSON.stringify(seen))
