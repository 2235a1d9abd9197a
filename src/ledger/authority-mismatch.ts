import { useOf } from '../gate/integration-provider.ts'
import type { AuthorityFacts, AuthorityPart, KeyFacts } from '../db/queries/ledger/authority.ts'
import {
  adminMismatch,
  companyIdentityMismatch,
  companyMismatch,
  groupMismatch,
} from './company/authority.ts'
import { endpointMismatch } from './events/authority.ts'
import { delegationMismatch, passkeyMismatch } from './consents/authority.ts'
import type {
  Authority,
  Recorded,
  RecordedApp,
  RecordedConversation,
  RecordedCurriculum,
  RecordedKey,
  RecordedKind,
  RecordedMember,
  RecordedPolicy,
} from './recorded-authority.ts'
import { isSame, upstreamMismatch } from './upstream-authority.ts'

const unrecorded = 'no ledger entry records it'

type Comparison<Part extends AuthorityPart> = (
  facts: AuthorityFacts[Part],
  told: Authority,
  id: string,
) => string | null

/** Where a stored row differs from the ledger entries, for each part; null if it matches. Pure. */
export const authorityMismatch: { [Part in AuthorityPart]: Comparison<Part> } = {
  member: (facts, { members }, id) => markSeen(members.get(id), (told) => memberMismatch(facts, told)),
  key: (facts, { keys }, id) => markSeen(keys.get(id), (told) => keyMismatch(facts, told)),
  app: (facts, { apps }, id) => markSeen(apps.get(id), (told) => appMismatch(facts, told)),
  administrator: (facts, { admins }, id) => markSeen(admins.get(id), (told) => adminMismatch(facts, told)),
  curriculum: (facts, { curricula }, id) =>
    markSeen(curricula.get(id), (told) => curriculumMismatch(facts, told)),
  kind: (facts, { kinds }, id) => markSeen(kinds.get(id), (told) => kindMismatch(facts, told)),
  policy: (facts, { policies }, id) =>
    markSeen(policies.get(Number(id)), (told) => policyMismatch(facts, told)),
  conversation: (facts, { conversations }, id) =>
    markSeen(conversations.get(id), (told) => conversationMismatch(facts, told)),
  integration: (facts, { integrations }, id) => integrationMismatch(facts, integrations, id),
  upstream: (facts, { upstreams }, id) =>
    markSeen(upstreams.get(id), (told) => upstreamMismatch(facts, told)),
  passkey: (facts, { passkeys }, id) => markSeen(passkeys.get(id), (told) => passkeyMismatch(facts, told)),
  company: (facts, { companies }) => markSeen(companies.get(''), (told) => companyMismatch(facts, told)),
  company_identity: (facts, { companyIdentities }, id) =>
    markSeen(companyIdentities.get(id), (told) => companyIdentityMismatch(facts, told)),
  group: (facts, { groups }, id) => markSeen(groups.get(id), (told) => groupMismatch(facts, told)),
  endpoint: (facts, { endpoints }, id) =>
    markSeen(endpoints.get(id), (told) => endpointMismatch(facts, told)),
  delegation: (facts, { delegations }, id) =>
    markSeen(delegations.get(id), (told) => delegationMismatch(facts, told)),
  account: (facts, told) => accountMismatch(facts, told),
}

/** The ids that ledger entries record, with the entry that created each. */
export const recordedIds: {
  [Part in AuthorityPart]: (told: Authority) => Map<string | number, Recorded>
} = {
  member: ({ members }) => members,
  key: ({ keys }) => keys,
  app: ({ apps }) => apps,
  administrator: ({ admins }) => admins,
  curriculum: ({ curricula }) => curricula,
  kind: ({ kinds }) => kinds,
  policy: ({ policies }) => policies,
  conversation: ({ conversations }) => conversations,
  integration: ({ integrations }) => integrations,
  upstream: ({ upstreams }) => upstreams,
  passkey: ({ passkeys }) => passkeys,
  company: ({ companies }) => companies,
  company_identity: ({ companyIdentities }) => companyIdentities,
  group: ({ groups }) => groups,
  endpoint: ({ endpoints }) => endpoints,
  delegation: ({ delegations }) => delegations,
  account: () => new Map(),
}

function markSeen<T extends { seq: number; isSeen: boolean }>(
  told: T | undefined,
  faultOf: (told: T) => string | null,
): string | null {
  if (!told || told.seq === 0) return unrecorded
  told.isSeen = true
  return faultOf(told)
}

function memberMismatch(facts: AuthorityFacts['member'], told: RecordedMember): string | null {
  if (facts.tier !== told.tier)
    return `its tier is ${facts.tier ?? 'not set'}, but ${told.tier ?? 'not set'} in the ledger`
  if (facts.active !== told.isActive)
    return `it is ${activeWord(facts.active)}, but ${activeWord(told.isActive)} in the ledger`
  if (facts.identity_digest !== told.identityDigest) {
    return 'its name or identities do not match the ledger'
  }
  if (facts.directory !== told.directory) return 'whom the directory knows it as does not match the ledger'
  if (!facts.reads_mailbox) return 'its sign-in mailbox is not its e-mail address'
  return identityMismatch(facts.identities, told.identities) ?? passMismatch(facts.passes, told.passes)
}

/** A row is written in the statement before its entry, which can wait for nothing but the disk. */
const soonMs = 10_000
const isSoon = (stored: string | null, at: number): boolean =>
  stored !== null && Math.abs(Date.parse(stored) - at) <= soonMs

function identityMismatch(
  identities: AuthorityFacts['member']['identities'],
  told: RecordedMember['identities'],
): string | null {
  for (const [via, { at, by, isChange, confirmed }] of told) {
    const row = identities.find(([of]) => of === via)
    if (!row) return `its change of ${via} is missing, but ledger entries record it`
    const [, setAt, changedAt, changedBy, confirmedAt, confirmedBy] = row
    const isSet =
      isSoon(setAt, at) &&
      (isChange ? isSoon(changedAt, at) : changedAt === null) &&
      changedBy === (isChange ? by : null)
    const isConfirmed = confirmed
      ? isSoon(confirmedAt, confirmed.at) && confirmedBy === confirmed.by
      : confirmedAt === null && confirmedBy === null
    if (!isSet || !isConfirmed)
      return `when or by whom its ${via} was changed or confirmed does not match the ledger`
  }
  return null
}

const activeWord = (isActive: boolean) => (isActive ? 'active' : 'inactive')

function passMismatch(
  passes: AuthorityFacts['member']['passes'],
  told: RecordedMember['passes'],
): string | null {
  for (const [curriculum, module, at, latestAt, isRevoked] of passes) {
    const pass = told.get(curriculum)?.get(module)
    const name = `pass of module ${module} of ${curriculum}`
    if (!pass) return `no ledger entry records its ${name}`
    if (pass.isRevoked !== isRevoked)
      return `its ${name} is ${isRevoked ? '' : 'not '}revoked, which does not match the ledger`
    if (pass.at !== Date.parse(at) || pass.latestAt !== Date.parse(latestAt))
      return `the time of its ${name} does not match the ledger`
  }
  const recordedCount = [...told.values()].reduce((sum, modules) => sum + modules.size, 0)
  return passes.length === recordedCount
    ? null
    : `it has ${passes.length} passes, but its ledger entries record ${recordedCount}`
}

function keyMismatch({ row, hashes }: AuthorityFacts['key'], told: RecordedKey): string | null {
  if (row === null || hashes.length === 0) return 'its row is missing, but ledger entries record it'
  if (hashes.length > 1) return `it has ${hashes.length} hashes, but its ledger entries record one`
  const [checked] = hashes
  if (checked!.key_hash !== told.keyHash) return 'its hash does not match the ledger'
  if (row.name_digest !== told.nameDigest) return 'its name does not match the ledger'
  if (row.rotated_from !== told.rotatedFrom) return 'the key that it replaces does not match the ledger'
  if (row.minted_by !== null && row.minted_by !== told.mintedBy)
    return 'who minted it does not match the ledger'
  if (row.app !== told.app) return 'the app that it is a token of does not match the ledger'
  if (checked!.family !== told.family) return 'the keys that share its limits do not match the ledger'
  return rightsMismatch(row, told) ?? rightsMismatch(checked!, told)
}

function rightsMismatch(facts: KeyFacts, { isRevoked, rights }: RecordedKey): string | null {
  if (facts.revoked !== isRevoked)
    return facts.revoked
      ? 'it is revoked, but not in the ledger'
      : 'it is revoked in the ledger, but still active'
  const wrong = Object.entries(rights).find(([name, value]) => !isSame(facts[name], value))
  return wrong ? `its ${wrong[0]} does not match the ledger` : null
}

function appMismatch(facts: AuthorityFacts['app'], told: RecordedApp): string | null {
  if (facts.ended !== told.isEnded)
    return facts.ended
      ? 'it has ended, but not in the ledger'
      : 'it has ended in the ledger, but is still in force'
  if (facts.granted_by !== told.grantedBy) return 'who connected it does not match the ledger'
  const wrong = Object.entries(told.data).find(([name, value]) => !isSame(facts.data[name], value))
  return wrong ? `its ${wrong[0]} does not match the ledger` : null
}

function curriculumMismatch(facts: AuthorityFacts['curriculum'], told: RecordedCurriculum): string | null {
  if (facts.retired !== told.isRetired)
    return facts.retired
      ? 'it is retired, but not in the ledger'
      : 'it is retired in the ledger, but still in force'
  const stored = facts as Record<string, unknown>
  const recorded = { module_titles_digest: null, ...told.facts }
  const wrong = Object.entries(recorded).find(([name, value]) => !isSame(stored[name], value))
  return wrong ? `its ${wrong[0]} does not match the ledger` : null
}

function kindMismatch(facts: AuthorityFacts['kind'], told: RecordedKind): string | null {
  if (facts.document !== told.document || facts.digest !== told.document)
    return 'its document does not match the ledger'
  if (facts.created_by !== told.createdBy) return 'who declared it does not match the ledger'
  if (facts.retired === told.isRetired) return null
  return facts.retired
    ? 'it is retired, but not in the ledger'
    : 'it is retired in the ledger, but still in force'
}

function policyMismatch(facts: AuthorityFacts['policy'], told: RecordedPolicy): string | null {
  if (facts.document !== told.document) return 'its document does not match the ledger'
  if (facts.action !== told.action) return 'the action that set it does not match the ledger'
  return facts.note_digest === told.noteDigest ? null : 'its note does not match the ledger'
}

function conversationMismatch(
  { members }: AuthorityFacts['conversation'],
  told: RecordedConversation,
): string | null {
  const stranger = members.find((member) => !told.members.has(member))
  if (stranger !== undefined) return `no ledger entry records the participant ${stranger}`
  return members.length === told.members.size
    ? null
    : `it has ${members.length} participants, but its ledger entries record ${told.members.size}`
}

/** A connection becomes active shortly before its execution is recorded, and inactive when another one replaces it. */
function integrationMismatch(
  { provider, state, action, admin, is_running }: AuthorityFacts['integration'],
  integrations: Authority['integrations'],
  id: string,
): string | null {
  const told = integrations.get(id)
  if (told) told.isSeen = true
  const isTold = told?.isConnected === true
  if (isTold && (told.provider !== provider || told.action !== action || told.admin !== admin))
    return 'it does not match the ledger'
  if (state === 'pending') return isTold ? 'it is connected in the ledger, but not active' : null
  if (!isTold && !is_running) return state === 'connected' ? unrecorded : null
  if (state === 'connected')
    return told?.isDisconnected ? 'it is disconnected in the ledger, but still active' : null
  const isReplaced = [...integrations].some(([n, one]) => n !== id && useOf(one.provider) === useOf(provider))
  return told?.isDisconnected || isReplaced || is_running ? null : 'it is disconnected, but not in the ledger'
}

function accountMismatch(facts: AuthorityFacts['account'], told: Authority): string | null {
  if (facts.suspended !== told.isSuspended)
    return facts.suspended
      ? 'it is suspended, but not in the ledger'
      : 'it is suspended in the ledger, but still active'
  if (facts.policy_version !== told.policyVersion)
    return `policy version ${facts.policy_version} is in force, but version ${told.policyVersion} in the ledger`
  if (facts.key_limits !== told.keyLimits)
    return `its key limits are ${facts.key_limits}, but ${told.keyLimits} in the ledger`
  if (facts.name_digest !== told.nameDigest) return 'its name does not match the ledger'
  if (facts.miscounted_calls > 0)
    return `${facts.miscounted_calls} counts of tool calls do not match the calls or the ledger`
  return stripeMismatch(facts, told.stripe)
}

/** A connection becomes active some steps before its execution is recorded. */
const connectingMs = 600_000

function stripeMismatch(
  { stripe_changed_at: at, stripe_change: change, is_connecting: isConnecting }: AuthorityFacts['account'],
  told: Authority['stripe'],
): string | null {
  if (isConnecting) return null
  const isTold =
    told.length === 0
      ? at === null && change === null
      : told.some((one) => change === one.change && Math.abs(Date.parse(at ?? '') - one.at) <= connectingMs)
  return isTold ? null : 'when its Stripe account last changed does not match the ledger'
}
