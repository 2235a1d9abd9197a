/** The first decision with a generated client: what docs/rest.md shows. `node first-decision.ts URL KEY` prints the outcome. */
import createClient from 'openapi-fetch'
import type { components, paths } from 'gate-client'

type Schemas = components['schemas']
type Action = Schemas['ActionRequest']

const [baseUrl, key] = process.argv.slice(2)
const gate = createClient<paths>({ baseUrl: baseUrl!, headers: { authorization: `Bearer ${key}` } })
const email = 'grace@example.com'
const actor = { email }

const capability = await gate.GET('/api/v1/capability', { params: { query: { email } } })
const proposal = await gate.POST('/api/v1/actions', {
  params: { header: { 'Idempotency-Key': 'first' } },
  body: { kind: 'broadcast', actor, payload: { message: 'Lunch is at noon.' } },
})
if (!proposal.data) throw new Error(proposal.error.error)
const { id } = proposal.data
const confirmed = await gate.POST('/api/v1/actions/{id}/confirm', {
  params: { path: { id } },
  body: { actor },
})
if (!confirmed.data) throw new Error(confirmed.error.error)
const refused = await gate.GET('/api/v1/actions/{id}', { params: { path: { id: 999 } } })
const listed = await gate.GET('/api/v1/actions', { params: { query: { limit: 10 } } })

/** What happened, by the kind of the action: each known kind has a type for its payload and one for its result. */
function outcomeOf({ kind, payload, result }: Action): string {
  switch (kind) {
    case 'broadcast': {
      const { message } = payload as Schemas['BroadcastPayload']
      const reached = result as Schemas['BroadcastResult'] | undefined
      return `"${message}" reached ${reached?.slack} in Slack, ${reached?.email} by e-mail`
    }
    case 'capability_check':
      return `has ${(result as Schemas['CapabilityCheckResult']).tier}`
    default:
      // Kinds that were added later.
      return `${kind}: ${JSON.stringify(payload)}`
  }
}

process.stdout.write(
  JSON.stringify({
    tier: capability.data?.tier,
    outcomes: listed.data?.actions.map(outcomeOf),
    error: refused.error,
  }),
)

/** Calls that must not compile. This is never called. */
export async function mistakes(): Promise<void> {
  const broadcast = { kind: 'broadcast', actor, payload: { message: 'x' } } as const
  // @ts-expect-error an actor names a member
  await gate.POST('/api/v1/actions', { body: { ...broadcast, actor: {} } })
  // @ts-expect-error an id alone names nobody: the provider is missing
  await gate.POST('/api/v1/actions', { body: { ...broadcast, actor: { external_id: 'U1' } } })
  // @ts-expect-error a broadcast has a message
  await gate.POST('/api/v1/actions', { body: { ...broadcast, payload: {} } })
  // @ts-expect-error only broadcasts are proposed over REST
  await gate.POST('/api/v1/actions', { body: { ...broadcast, kind: 'refund' } })
  // @ts-expect-error the status is one of four
  await gate.GET('/api/v1/actions', { params: { query: { status: 'open' } } })
  for (const action of listed.data?.actions ?? [])
    // @ts-expect-error a broadcast has no amount
    (action.payload as Schemas['BroadcastPayload']).amount_cents.toFixed()
}
