import { readConfig } from '../../../src/config.ts'
import { setKind } from '../../../src/db/queries/accounts/declared-kinds.ts'
import { adminWrite } from '../../../src/db/admin-write.ts'
import { type Json, canonical } from '../../../src/gate/canonical.ts'
import { limits } from '../../../src/limits.ts'
import { addKind } from '../../../src/operations/kinds/declared-kinds.ts'
import { rotateKindSecret } from '../../../src/operations/kinds/rotate-kind-secret.ts'
import { approveReview, readReview, setToolRule } from '../../../src/operations/upstreams/review.ts'
import { addUpstream } from '../../../src/operations/upstreams/servers.ts'
import { parseKeyRing } from '../../../src/secrets/key-ring.ts'
import { refreshUpstream } from '../../../src/upstreams/refresh.ts'
import { makeUpstreams } from '../../../src/upstreams/upstream-deps.ts'
import type { NotesTool } from '../system/notes-server.ts'
import { type System, secretsKeys } from '../system/system.ts'
import { type ToolNeed, toolNeeds } from './policies.ts'

/** What the accounts of the load declare themselves: kinds of each executor, and the tools of an MCP server. */
export const declaredKinds = { webhook: 'deployment', approvedWebhook: 'release', claim: 'signing' } as const
export const isOfWebhook = (kind: string | undefined): boolean =>
  kind === declaredKinds.webhook || kind === declaredKinds.approvedWebhook
export const upstreamName = 'notes'

const keys = parseKeyRing(secretsKeys)
const allow = ['127.0.0.1']

/** Declares the kinds and puts the server behind the gate, before any fault. */
export async function declareKinds(system: System, account: string): Promise<void> {
  const { db } = system.service
  const context = { db, account, session: null }
  const at = `http://${system.edges.addressOf('webhook')}`
  for (const kind of [declaredKinds.webhook, declaredKinds.approvedWebhook]) {
    await addKind(context, deployment(kind, at), allow)
    const { secret } = await rotateKindSecret(context, keys, kind)
    system.executor.secrets.set(`${account} ${kind}`, secret)
  }
  // The command line refuses a lease of less than a minute. This run needs one, so that it sees leases that end.
  await setKind(db, {
    ...adminWrite(account),
    kind: declaredKinds.claim,
    document: canonical(signing as unknown as Json),
    kindsMax: limits.declaredKindsMax,
    base: null,
  })
  await putNotesBehindGate(system, account)
}

const deployment = (kind: string, at: string) => ({
  kind,
  title: 'Deploy a version',
  description: 'Deploy a version to production.',
  payload: {
    type: 'object',
    properties: {
      version: { type: 'string', maxLength: 40 },
      note: { type: 'string', maxLength: 100 },
      refused: { type: 'boolean' },
      long: { type: 'boolean' },
      lost: { type: 'boolean' },
    },
    required: ['version'],
  },
  card: [
    { label: 'Version', value: '/version', format: 'text' },
    { label: 'Note', value: '/note', format: 'text' },
  ],
  editable: ['/note'],
  default_rule: { tier: 'guarded_write', consent: 'agent_attested' },
  executor: { type: 'webhook', url: `${at}/deploy`, status_url: `${at}/calls/{id}` },
})

const signing = {
  kind: declaredKinds.claim,
  title: 'Sign a contract',
  description: 'Sign a contract.',
  payload: {
    type: 'object',
    properties: { contract: { type: 'string', maxLength: 40 } },
    required: ['contract'],
  },
  card: [{ label: 'Contract', value: '/contract', format: 'text' }],
  default_rule: { tier: 'guarded_write', consent: 'agent_attested' },
  executor: { type: 'claim', lease_minutes: 0.15 },
}

async function putNotesBehindGate({ service: { db }, edges }: System, account: string): Promise<void> {
  const context = { db, account, session: null }
  const url = `http://${edges.addressOf('notes')}/mcp`
  await addUpstream(context, { allow, keys: () => keys }, { name: upstreamName, url, headers: [] })
  const upstreams = makeUpstreams(readConfig({ EXECUTOR_ALLOW: allow.join() }), { db, keys })
  try {
    await refreshUpstream({ db, upstreams }, { account, upstream: upstreamName })
  } finally {
    await upstreams.connections.close()
  }
  const { digest } = await readReview(context, upstreamName)
  await approveReview(context, upstreamName, { only: undefined, digest })
  for (const [tool, need] of Object.entries(toolNeeds) as [NotesTool, ToolNeed][]) {
    const rule = typeof need === 'string' ? { rule: need } : { rule: 'confirm' as const, requires: need }
    await setToolRule(context, { upstream: upstreamName, tool, rule })
  }
}
