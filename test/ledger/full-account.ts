import {
  addEndpoint,
  changeEndpoint,
  removeEndpoint,
  rotateEndpoint,
  turnEndpoint,
} from '../../src/operations/events/endpoints.ts'
import { parseKeyRing } from '../../src/secrets/key-ring.ts'
import { ringOf } from '../support/connect.ts'
import { randomBytes, randomUUID } from 'node:crypto'
import {
  createConversation,
  addParticipant,
  removeParticipant,
} from '../../src/db/queries/previews/conversations.ts'
import { recordPass, revokePasses } from '../../src/db/queries/members/curricula.ts'
import { recordConsentRequest } from '../../src/db/queries/actions/consent.ts'
import { type ActionRow, readAction } from '../../src/db/queries/actions/actions.ts'
import { claimDecision, denyAction } from '../../src/db/queries/actions/decide.ts'
import { beginExecution, finishAction } from '../../src/db/queries/actions/execution.ts'
import { revokeKey, rotateKey, storeKey } from '../../src/db/queries/accounts/keys.ts'
import { addMember, updateMember } from '../../src/db/queries/members/members.ts'
import { storePolicy } from '../../src/db/queries/accounts/policies.ts'
import { propose } from '../../src/db/queries/actions/propose.ts'
import { beginCall, freezeCall, recordCall, settleCall } from '../../src/db/queries/actions/provider-calls.ts'
import type { Deps } from '../../src/deps.ts'
import { type Json, canonical } from '../../src/gate/canonical.ts'
import { randomBase62 } from '../../src/keys/api-key.ts'
import { allRights } from '../../src/keys/rights.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { linkIdentity, setCompany } from '../../src/db/queries/accounts/company.ts'
import { addAdmin } from '../../src/operations/admins/add-admin.ts'
import { removeAdmin } from '../../src/operations/admins/remove-admin.ts'
import {
  changeGroupMembers,
  createGroup,
  removeGroup,
  renameGroup,
} from '../../src/operations/groups/groups.ts'
import { cancelAsAdmin } from '../../src/operations/decisions/cancel-as-admin.ts'
import { editedRow } from '../../src/operations/decisions/edit-proposal.ts'
import { expiryEvent, expiryOf } from '../../src/operations/clearance/expiry.ts'
import { consentTokenHash, newToken } from '../../src/keys/link-token.ts'
import { findAdmin } from '../../src/db/queries/accounts/admins.ts'
import { sampleProposal } from './sample-proposal.ts'
import { type Lived, confirm, factVersions, livedAccount } from './lived-account.ts'
import { storePasskey } from '../support/stored-passkey.ts'
import { sessionOf } from '../support/session.ts'

/** An account with a row of every fate and authority of every kind. */
export interface Full extends Lived {
  /** Actions by their outcome. */
  rows: {
    checked: number
    executed: number
    cancelled: number
    denied: number
    open: number
    expired: number
    cancelledByAdmin: number
    declined: number
    edited: number
    deniedAtConfirm: number
    deniedLate: number
    running: number
    asked: number
    refunded: number
    refused: number
  }
  former: string
  admin: string
  removedAdmin: string
}

/** Approves a broadcast of Ada's as she changes it, in the console. */
async function approveWith(deps: Deps, row: ActionRow, message: string): Promise<void> {
  const { account_id: account, id, uuid, member_id: memberId } = row
  const { payload, facts, digest, duplicate_of: duplicateOf } = await editedRow(deps, row, { message })
  const { outcome } = await claimDecision(deps.db, {
    account,
    id,
    decision: 'confirm',
    commandId: randomUUID(),
    eventId: randomUUID(),
    ...expiryEvent(uuid),
    dueMs: 60_000,
    versions: await factVersions(deps.db, account, memberId!),
    tier: 'guarded_write',
    consent: { strength: 'page', channel: 'console' },
    credential: { session: await sessionOf(deps, account, 'ada@example.com') },
    idempotency: null,
    card: randomBytes(32),
    edit: {
      eventId: randomUUID(),
      payload: canonical(payload as Json),
      facts: facts && canonical(facts),
      channel: null,
      digest: digest!,
      duplicateOf,
    },
  })
  if (outcome !== 'claimed') throw new Error(`the scene could not change it: ${outcome}`)
}

export async function fullAccount(deps: Deps): Promise<Full> {
  const lived = await livedAccount(deps)
  const { db } = deps
  const { account, ada, rea, keyHash: apiKey } = lived
  const write = () => adminWrite(account)

  const proposed = async (kind = 'broadcast', ttlMs = 3_600_000, payload = '{"note":"something"}') => {
    const facts = await factVersions(db, account, ada)
    const [result] = await propose(db, account, [
      sampleProposal({ kind, payload, ttl_ms: ttlMs, member_id: ada, api_key: apiKey, facts }),
    ])
    return result!.action
  }
  const denied = async (id: number, isClaimed: boolean) => {
    const versions = await factVersions(db, account, ada)
    const { outcome } = await denyAction(db, {
      account,
      id,
      isClaimed,
      reason: 'not qualified any more',
      code: 'tier_insufficient',
      needs: { needed_tier: 'write', curricula: ['safe-sending'] },
      eventId: randomUUID(),
      dueMs: 60_000,
      versions,
      apiKey: isClaimed ? null : apiKey,
      idempotency: null,
    })
    if (outcome !== 'denied') throw new Error(`the scene could not deny: ${outcome}`)
  }
  const billed = async (state: 'ok' | 'not_done') => {
    const { id, uuid } = await proposed('refund')
    await confirm(db, account, id, apiKey)
    await beginExecution(db, { account, id, uuid: null }, true)
    const call = { account, id, step: 'call', provider: 'stripe', key: `act_${uuid}_call` }
    await freezeCall(db, { ...call, request: '{"type":"refund"}' })
    await beginCall(db, { ...call, credential: 'sandbox' })
    const answer = { id: 're_1', status: 'succeeded' }
    const code = 'charge_already_refunded'
    await recordCall(db, {
      ...call,
      attempt: 1,
      ...(state === 'ok' ? { state, code: null, answer } : { state, code, answer: null }),
    })
    await settleCall(db, call)
    const result =
      state === 'ok'
        ? { outcome: 'done', provider: 'stripe', provider_id: answer.id, status: answer.status }
        : { outcome: 'refused', provider: 'stripe', code }
    await finishAction(db, {
      account,
      id,
      status: state === 'ok' ? 'executed' : 'cancelled',
      result: JSON.stringify(result),
      closedReason: state === 'ok' ? null : 'refused',
      eventId: randomUUID(),
      delivered: [],
    })
    return id
  }

  const expired = await proposed('broadcast', 1)
  await new Promise((resolve) => setTimeout(resolve, 5))
  await claimDecision(db, expiryOf({ account, id: expired.id, uuid: expired.uuid }))

  const cancelledByAdmin = await proposed()
  await cancelAsAdmin({ db, account, session: null }, cancelledByAdmin.id, 'a mistake')

  const session = await sessionOf(deps, account, 'ada@example.com')
  const passkey = await storePasskey(db, { account, memberId: ada, session })
  const declined = await proposed()
  const card = randomBytes(32)
  await claimDecision(db, {
    account,
    id: declined.id,
    decision: 'cancel',
    commandId: randomUUID(),
    eventId: randomUUID(),
    ...expiryEvent(declined.uuid),
    dueMs: 60_000,
    versions: null,
    consent: { strength: 'page', channel: 'console' },
    credential: { session },
    idempotency: null,
    card,
    passkey: await passkey.sign({ id: declined.id, digest: declined.digest!, decision: 'decline', card }),
  })

  const deniedAtConfirm = await proposed()
  await denied(deniedAtConfirm.id, false)
  const deniedLate = await proposed()
  await confirm(db, account, deniedLate.id, apiKey)
  await denied(deniedLate.id, true)
  const running = await proposed()
  await confirm(db, account, running.id, apiKey)
  const edited = await proposed('broadcast', 3_600_000, '{"message":"Lunch is at noon."}')
  await approveWith(deps, edited, 'Lunch is at one.')

  const asked = await proposed()
  const token = newToken()
  await recordConsentRequest(db, {
    account,
    id: asked.id,
    eventId: randomUUID(),
    ...expiryEvent(asked.uuid),
    dueMs: 60_000,
    versions: await factVersions(db, account, ada),
    required: 'page',
    via: 'email',
    address: 'ada@example.com',
    token,
    tokenHash: consentTokenHash('email', token),
    everyMs: 60_000,
    hourMax: 10,
    dayMax: 100,
    mandatesMax: 4,
    source: 'api',
    apiKey,
    isOfProposal: false,
    idempotency: null,
  })
  if ((await readAction(db, account, asked.id))!.asked_via !== 'email') throw new Error('nobody was asked')

  const rows = {
    checked: 1,
    executed: 2,
    cancelled: 3,
    denied: 4,
    open: 5,
    expired: expired.id,
    cancelledByAdmin: cancelledByAdmin.id,
    declined: declined.id,
    edited: edited.id,
    deniedAtConfirm: deniedAtConfirm.id,
    deniedLate: deniedLate.id,
    running: running.id,
    asked: asked.id,
    refunded: await billed('ok'),
    refused: await billed('not_done'),
  }

  const context = { db, account, session: null }
  for (const email of ['boss@example.com', 'gone@example.com']) await addAdmin(context, email)
  const admin = (await findAdmin(db, account, 'boss@example.com'))!.admin_id
  const { admin_id: removedAdmin } = await removeAdmin(context, 'gone@example.com')

  const eve = `mem_${randomBase62(16)}`
  await addMember(db, { ...write(), memberId: eve, name: 'Eve', email: 'eve@example.com', slack: null })
  await updateMember(db, {
    ...write(),
    memberId: eve,
    name: 'Eva',
    email: null,
    slack: 'U0EVE',
    isActive: null,
  })
  await updateMember(db, { ...write(), memberId: eve, name: null, email: null, slack: null, isActive: false })

  const pass = { curriculum: 'safe-sending', at: null }
  await recordPass(db, { ...write(), ...pass, memberId: ada, module: 1 })
  await recordPass(db, { ...write(), ...pass, memberId: ada, module: 2, at: new Date('2026-01-01') })
  await recordPass(db, { ...write(), ...pass, memberId: eve, module: 1 })
  await revokePasses(db, { ...write(), memberId: eve, curriculum: pass.curriculum, module: null })

  const stored = { account, name: 'Bound', last4: '0000' }
  const [former, next, revoked] = [1, 2, 3].map(() => `key_${randomBase62(16)}`)
  const rights = {
    ...allRights,
    powers: ['read', 'propose'] as ('read' | 'propose')[],
    actors: [ada],
    kinds: ['broadcast'],
    networks: ['10.0.0.0/8'],
    actionsPerDay: 5,
    centsPerDay: { usd: 100 },
  }
  const inYear = new Date(Date.now() + 31_536_000_000)
  await storeKey(db, {
    ...write(),
    ...stored,
    ...rights,
    keyId: former!,
    hash: randomBytes(32),
    expiresAt: inYear,
  })
  await rotateKey(db, {
    ...write(),
    former: former!,
    keyId: next!,
    last4: '1111',
    hash: randomBytes(32),
    overlapMs: 3_600_000,
  })
  await storeKey(db, {
    ...write(),
    ...stored,
    ...allRights,
    keyId: revoked!,
    hash: randomBytes(32),
    expiresAt: null,
  })
  await revokeKey(db, { ...write(), keyId: revoked! })

  await storePolicy(db, {
    ...write(),
    base: 1,
    document: '{"expires_after_hours":1}',
    kinds: [],
    note: null,
    restores: null,
  })
  await storePolicy(db, {
    ...write(),
    base: 2,
    document: '{"expires_after_hours":2}',
    kinds: [],
    note: null,
    restores: null,
  })

  const conversation = { conversationId: 'site' }
  await createConversation(db, { ...write(), ...conversation, title: 'Site', memberIds: [ada, rea] })
  await addParticipant(db, { ...write(), ...conversation, memberId: eve })
  await removeParticipant(db, { ...write(), ...conversation, memberId: rea })

  const [finance, gone] = [await createGroup(context, 'Finance'), await createGroup(context, 'Gone')]
  await changeGroupMembers(context, finance!, { add: [ada, rea, eve] })
  await changeGroupMembers(context, finance!, { remove: [eve] })
  await renameGroup(context, finance!, 'Finance leads')
  await removeGroup(context, gone!)

  const service = { keys: parseKeyRing(ringOf('k1')), allowed: [] }
  const settings = { url: 'https://example.com/events', description: 'Billing', types: null, isFull: false }
  const [told, untold] = [
    await addEndpoint(context, service, settings),
    await addEndpoint(context, service, settings),
  ]
  await changeEndpoint(context, service, told.endpoint, { ...settings, types: ['key.minted'] })
  await rotateEndpoint(context, service, told.endpoint)
  await turnEndpoint(context, told.endpoint, false)
  await removeEndpoint(context, untold.endpoint)

  const company = {
    issuer: 'https://sign-in.example.com',
    client_id: 'gate',
    links_by_mailbox: false,
    roles_claim: 'groups',
    roles: { auditor: ['auditors'] },
    acr: ['mfa'],
    is_only: false,
  }
  const secret = { ciphertext: randomBytes(32), wrappedKey: randomBytes(32), kid: 'k1' }
  await setCompany(db, { ...write(), settings: company, secret })
  const linked = { ...write(), identityId: 'idn_0123456789abcdef', subject: '00u1' }
  await linkIdentity(db, { ...linked, memberId: ada, adminId: null })
  await linkIdentity(db, { ...linked, ...write(), memberId: null, adminId: admin })

  return { ...lived, rows, former: former!, admin, removedAdmin }
}
