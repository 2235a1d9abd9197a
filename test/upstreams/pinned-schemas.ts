import { createHash, randomUUID } from 'node:crypto'
import { readUpstreamConnection, recordListing } from '../../src/db/queries/upstreams/connections.ts'
import { reviewUpstreamTools } from '../../src/db/queries/upstreams/upstreams.ts'
import { type Json, canonical } from '../../src/gate/canonical.ts'
import { type AdminContext, writeOf } from '../../src/operations/admin-context.ts'
import type { TestGate } from '../support/gate.ts'
import { addUpstream } from '../support/tools-behind-gate.ts'
import { costs, dialects, keywords } from './schemas/keywords.ts'
import { field, object } from './schemas/made.ts'
import { forArgumentsAlone, patterns } from './schemas/patterns.ts'
import { references } from './schemas/references.ts'
import { soundSchemas } from './schemas/sound.ts'

/** Broken schemas, of arguments and of results. */
export const ofArguments = [...references, ...dialects, ...patterns, ...costs].map(([, schema]) => schema)
export const ofResults = [...ofArguments, ...[...keywords, ...forArgumentsAlone].map(([, schema]) => schema)]
const sound = soundSchemas.map(([, schema]) => schema)

/** Tools with each of them, and with schemas that only look unusual. */
export const definitions: Record<string, unknown>[] = [
  { name: 'good', inputSchema: object({}), outputSchema: field({ type: 'string' }) },
  ...ofArguments.map((inputSchema, n) => ({ name: `in-${n}`, inputSchema })),
  ...ofResults.map((outputSchema, n) => ({ name: `out-${n}`, inputSchema: object({}), outputSchema })),
  ...sound.map((schema, n) => ({ name: `sound-${n}`, inputSchema: schema, outputSchema: schema })),
]

interface PinnedScene {
  account: string
  admin: AdminContext
  key: string
}

/** An account whose tools were pinned, reviewed and allowed by a version that did not look at their schemas. */
export async function pinnedBefore(gate: TestGate, url: string): Promise<PinnedScene> {
  const { db } = gate.deps
  const { account, addMember, mintKey } = await gate.account()
  const grace = await addMember({ name: 'Grace', email: `grace@${account}.example`, tier: 'guarded_write' })
  await addUpstream(gate.database, { account }, { name: 'up', url })
  const { connection } = (await readUpstreamConnection(db, account, 'up'))!
  const texts = definitions.map((one) => canonical(one as Json))
  const tools = definitions.map(({ name }) => String(name))
  const listing = { server: { name: 's', version: '1', protocol: '2025-11-25' }, refused: [] }
  await recordListing(db, {
    account_id: account,
    upstream: 'up',
    connection,
    tools,
    definitions: texts,
    ...listing,
  })
  const admin = { db, account, session: null }
  const review = { ...writeOf(admin), upstream: 'up', rule: '{"rule":"allow"}', shown: 'null' }
  // The entry of a review has a bound.
  for (let n = 0; n < tools.length; n += 50) {
    const some = { tools: tools.slice(n, n + 50), hashes: texts.slice(n, n + 50).map(sha256) }
    await reviewUpstreamTools(db, { ...review, ...some, eventId: randomUUID() })
  }
  return { account, admin, key: (await mintKey({ actors: [grace] })).key }
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex')
