import { randomBytes, randomUUID } from 'node:crypto'
import { readConfig } from '../../src/config.ts'
import { createAccount, suspendAccount } from '../../src/db/queries/accounts/accounts.ts'
import { addCurriculum, recordPass } from '../../src/db/queries/members/curricula.ts'
import { type FactVersions, claimDecision } from '../../src/db/queries/actions/decide.ts'
import { beginExecution, finishAction } from '../../src/db/queries/actions/execution.ts'
import { readFacts } from '../../src/db/queries/members/facts.ts'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { storeKey } from '../../src/db/queries/accounts/keys.ts'
import { layOutDeliveries, noteDelivered, stepDelivery } from '../../src/db/queries/actions/deliveries.ts'
import { addMember, setTier } from '../../src/db/queries/members/members.ts'
import { type Deps, makeDeps } from '../../src/deps.ts'
import { randomBase62 } from '../../src/keys/api-key.ts'
import { allRights, keyPowers } from '../../src/keys/rights.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { actionKinds } from '../../src/actions/registry.ts'
import { cancelAction } from '../../src/operations/decisions/cancel-action.ts'
import { checkCapability } from '../../src/operations/members/check-capability.ts'
import { expiryEvent } from '../../src/operations/clearance/expiry.ts'
import type { CallContext } from '../../src/operations/operation.ts'
import { proposeAction } from '../../src/operations/proposals/propose-action.ts'
import type { DeliveryChannel } from '../../src/providers/ports.ts'
import type { TestDatabase } from '../support/database.ts'

const sender = { email: 'ada@example.com' }
const reader = { email: 'rea@example.com' }

/** What may be done to a ledger, for accounts that have lived. */
export interface Lived {
  account: string
  /** The ids of the member who may send, and of the one who may not. */
  ada: string
  rea: string
  keyId: string
  keyHash: Buffer
  check(): Promise<void>
  propose(actor?: { email: string }): Promise<number>
  cancel(id: number): Promise<void>
  execute(id: number): Promise<void>
}

export function depsOf(database: TestDatabase): Deps {
  const config = readConfig({
    DATABASE_URL: database.serviceUrl,
    TEMPORAL_ADDRESS: process.env['TEST_TEMPORAL_ADDRESS'],
    LOG_LEVEL: 'silent',
  })
  // Nothing is sent here: that there is a channel is all that matters.
  const channel = {} as DeliveryChannel
  return makeDeps(config, { channels: { slack: channel, email: channel } })
}

/** An account with a member who may send and one who may not. Nine entries so far, none of an action. */
export async function openAccount(deps: Deps): Promise<Lived> {
  const { db } = deps
  const account = `acct_${randomBase62(16)}`
  await createAccount(db, account, 'Lived')
  const [ada, rea] = [`mem_${randomBase62(16)}`, `mem_${randomBase62(16)}`] as const
  await addMember(db, {
    ...adminWrite(account),
    memberId: ada,
    name: 'Ada',
    ...sender,
    slack: 'U0ADA',
  })
  await addMember(db, {
    ...adminWrite(account),
    memberId: rea,
    name: 'Rea',
    ...reader,
    slack: null,
  })
  await setTier(db, { ...adminWrite(account), memberId: ada, tier: 'guarded_write' })
  const curriculum = {
    slug: 'safe-sending',
    title: 'Safe sending',
    modules: 2,
    grants: 'guarded_write',
    valid_days: null,
  } as const
  await addCurriculum(db, { ...adminWrite(account), curriculum })
  const pass = { memberId: rea, curriculum: 'safe-sending', module: 1, at: null }
  await recordPass(db, { ...adminWrite(account), ...pass })
  const keyId = `key_${randomBase62(16)}`
  const keyHash = randomBytes(32)
  await storeKey(db, {
    ...adminWrite(account),
    ...allRights,
    keyId,
    name: 'Lived',
    last4: '0000',
    hash: keyHash,
    expiresAt: null,
  })
  for (const suspend of [true, false]) await suspendAccount(db, { ...adminWrite(account), suspend })

  const context: CallContext = {
    deps,
    account,
    keyId,
    keyHash,
    actors: null,
    powers: [...keyPowers],
    kinds: null,
    ceilings: null,
    source: 'api',
  }
  return {
    account,
    ada,
    rea,
    keyId,
    keyHash,
    async check() {
      await checkCapability.run(context, sender)
    },
    async propose(actor = sender) {
      const request = { kind: 'broadcast', actor, payload: { message: 'Lunch is at noon.' } }
      const { body } = await proposeAction(actionKinds).run(context, request as never)
      return (body as { id: number }).id
    },
    async cancel(id) {
      await cancelAction.run(context, { id, actor: sender })
    },
    execute: (id) => execute(deps, account, id, keyHash),
  }
}

/** The nine entries of `openAccount`, then: 1 checked, 2 executed, 3 cancelled, 4 denied, 5 open. */
export async function livedAccount(deps: Deps): Promise<Lived> {
  const lived = await openAccount(deps)
  await lived.check()
  await lived.propose()
  await lived.execute(2)
  await lived.propose()
  await lived.cancel(3)
  await lived.propose(reader)
  await lived.propose()
  return lived
}

/** The seq of the last entry of `livedAccount`. */
export const livedSeq = 19

/** Confirms a proposal of Ada's, delivers it to both members and ends it. */
async function execute({ db }: Deps, account: string, id: number, apiKey: Buffer): Promise<void> {
  await confirm(db, account, id, apiKey)
  await beginExecution(db, { account, id, uuid: null }, true)
  await layOutDeliveries(db, account, id, { slack: 20, email: 100 })
  for (const channel of ['slack', 'email'] as const) {
    const step = { account, id, channel }
    await stepDelivery(db, { ...step, record: null, claim: { slice: 0, sliceMax: 20, message: '{}' } })
    const record = { slice: 0, attempt: 1, states: ['ok' as const], provider_ids: ['sent'], codes: [''] }
    await stepDelivery(db, { ...step, record, claim: null })
    await noteDelivered(db, { account, id, eventId: randomUUID(), step: `${channel}:0-1` })
  }
  const result = { outcome: 'done', slack: 1, email: 1, unreachable: 0 }
  await finishAction(db, {
    account,
    id,
    status: 'executed',
    result: JSON.stringify(result),
    closedReason: null,
    eventId: randomUUID(),
    delivered: [],
  })
}

/** Claims a confirm of Ada's, as her agent does. */
export async function confirm(db: Deps['db'], account: string, id: number, apiKey: Buffer): Promise<void> {
  const row = (await readAction(db, account, id))!
  const { outcome } = await claimDecision(db, {
    account,
    id,
    decision: 'confirm',
    commandId: randomUUID(),
    eventId: randomUUID(),
    ...expiryEvent(row.uuid),
    dueMs: 60_000,
    versions: await factVersions(db, account, row.member_id!),
    tier: 'guarded_write',
    consent: { strength: 'agent_attested', channel: 'api' },
    credential: { apiKey },
    idempotency: null,
  })
  if (outcome !== 'claimed') throw new Error(`the scene could not confirm: ${outcome}`)
}

export async function factVersions(db: Deps['db'], account: string, memberId: string): Promise<FactVersions> {
  const facts = (await readFacts(db, account, { memberId }))!
  return { member: facts.members[0]!.version, curricula: facts.curriculaVersion, policy: facts.policyVersion }
}
