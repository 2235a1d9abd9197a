import type { AuthorityFacts, AuthorityPart, KeyFacts } from '../db/queries/ledger/authority.ts'
import { type Json, canonical } from '../gate/canonical.ts'
import type {
  Authority,
  ToldAdmin,
  ToldConversation,
  ToldCurriculum,
  ToldKey,
  ToldMember,
  ToldPass,
  ToldPolicy,
} from './authority.ts'

const untold = 'no entry records it'

type Judge<Part extends AuthorityPart> = (
  facts: AuthorityFacts[Part],
  told: Authority,
  id: string,
) => string | null

/** What of a stored row the entries do not bear out, part by part; null where it is as they tell. Pure. */
export const authorityFault: { [Part in AuthorityPart]: Judge<Part> } = {
  member: (facts, { members }, id) => seen(members.get(id), (told) => memberFault(facts, told)),
  key: (facts, { keys }, id) => seen(keys.get(id), (told) => keyFault(facts, told)),
  administrator: (facts, { admins }, id) => seen(admins.get(id), (told) => adminFault(facts, told)),
  curriculum: (facts, { curricula }, id) => seen(curricula.get(id), (told) => curriculumFault(facts, told)),
  policy: (facts, { policies }, id) => seen(policies.get(Number(id)), (told) => policyFault(facts, told)),
  conversation: (facts, { conversations }, id) =>
    seen(conversations.get(id), (told) => conversationFault(facts, told)),
  integration: (facts, { integrations }, id) => integrationFault(facts, integrations, id),
  account: (facts, told) => accountFault(facts, told),
}

/** What the entries tell of and no row is: the ids, with the entry that made each. */
export const toldOf: {
  [Part in AuthorityPart]: (told: Authority) => Map<string | number, { seq: number; isSeen: boolean }>
} = {
  member: ({ members }) => members,
  key: ({ keys }) => keys,
  administrator: ({ admins }) => admins,
  curriculum: ({ curricula }) => curricula,
  policy: ({ policies }) => policies,
  conversation: ({ conversations }) => conversations,
  integration: ({ integrations }) => integrations,
  account: () => new Map(),
}

function seen<T extends { seq: number; isSeen: boolean }>(
  told: T | undefined,
  faultOf: (told: T) => string | null,
): string | null {
  if (!told || told.seq === 0) return untold
  told.isSeen = true
  return faultOf(told)
}

function memberFault(facts: AuthorityFacts['member'], told: ToldMember): string | null {
  if (facts.tier !== told.tier)
    return `its tier is ${facts.tier ?? 'not set'}, its entries say ${told.tier ?? 'not set'}`
  if (facts.active !== told.isActive)
    return `it is ${stateOf(facts.active)}, its entries say ${stateOf(told.isActive)}`
  if (told.identityDigest !== undefined && facts.identity_digest !== told.identityDigest) {
    return 'its name or identities are not those that were written down'
  }
  if (!facts.reads_mailbox) return 'its mailbox for signing in is not its address'
  return passFault(facts.passes, told.passes)
}

const stateOf = (isActive: boolean) => (isActive ? 'active' : 'inactive')

function passFault(passes: AuthorityFacts['member']['passes'], told: ToldMember['passes']): string | null {
  for (const [curriculum, module, at, latestAt, isRevoked] of passes) {
    const pass = told.get(curriculum)?.get(module)
    const name = `pass of module ${module} of ${curriculum}`
    if (!pass) return `no entry records its ${name}`
    if (pass.isRevoked !== isRevoked)
      return `its ${name} is ${isRevoked ? '' : 'not '}revoked, its entries say otherwise`
    if (isOther(pass.at, at) || isOther(pass.latestAt, latestAt))
      return `the time of its ${name} is not the one that was written down`
  }
  const toldCount = [...told.values()].reduce((sum, modules) => sum + modules.size, 0)
  return passes.length === toldCount
    ? null
    : `it has ${passes.length} passes, its entries record ${toldCount}`
}

const isOther = (told: ToldPass['at'], at: string) => told !== undefined && told !== Date.parse(at)

function keyFault({ row, hashes }: AuthorityFacts['key'], told: ToldKey): string | null {
  if (row === null || hashes.length === 0) return 'its row is missing, its entries are there'
  if (hashes.length > 1) return `there are ${hashes.length} hashes of it, its entries record one`
  const [checked] = hashes
  if (told.keyHash !== undefined && checked!.key_hash !== told.keyHash)
    return 'its hash is not the one that was written down'
  if (told.nameDigest !== undefined && row.name_digest !== told.nameDigest)
    return 'its name is not the one that was written down'
  if (row.rotated_from !== told.rotatedFrom)
    return 'the key that it replaces is not the one that was written down'
  if (checked!.family !== told.family)
    return 'the keys that it counts with are not those that were written down'
  return rightsFault(row, told) ?? rightsFault(checked!, told)
}

function rightsFault(facts: KeyFacts, { isRevoked, rights }: ToldKey): string | null {
  if (facts.revoked !== isRevoked)
    return facts.revoked ? 'it is revoked, and no entry tells it' : 'its entries say revoked, and it is not'
  const wrong = Object.entries(rights).find(([name, value]) => !isSame(facts[name], value))
  return wrong ? `its ${wrong[0]} is not what was written down` : null
}

function adminFault(facts: AuthorityFacts['administrator'], told: ToldAdmin): string | null {
  if (facts.removed !== told.isRemoved)
    return facts.removed ? 'it is removed, and no entry tells it' : 'its entries say removed, and it is not'
  if (told.mailboxDigest !== undefined && facts.mailbox_digest !== told.mailboxDigest) {
    return 'its mailbox is not the one that was written down'
  }
  return facts.reads_mailbox ? null : 'its mailbox for signing in is not its address'
}

function curriculumFault(facts: AuthorityFacts['curriculum'], told: ToldCurriculum): string | null {
  const stored = facts as Record<string, unknown>
  const wrong = Object.entries(told.facts).find(([name, value]) => !isSame(stored[name], value))
  return wrong ? `its ${wrong[0]} is not what was written down` : null
}

function policyFault(facts: AuthorityFacts['policy'], told: ToldPolicy): string | null {
  return facts.document === told.document ? null : 'its document is not the one that was written down'
}

function conversationFault(
  { members }: AuthorityFacts['conversation'],
  told: ToldConversation,
): string | null {
  const stranger = members.find((member) => !told.members.has(member))
  if (stranger !== undefined) return `no entry tells that ${stranger} takes part`
  return members.length === told.members.size
    ? null
    : `${told.members.size} members take part by its entries, and ${members.length} do`
}

/** A connection comes into use shortly before its execution is written down, and leaves it when another takes its place. */
function integrationFault(
  { provider, state, action, is_running }: AuthorityFacts['integration'],
  integrations: Authority['integrations'],
  id: string,
): string | null {
  const told = integrations.get(id)
  if (told) told.isSeen = true
  const isTold = told !== undefined && told.action !== null
  if (isTold && (told.provider !== provider || told.action !== action))
    return 'it is not the connection that was written down'
  if (state === 'pending') return isTold ? 'its entries say connected, and it is not' : null
  if (!isTold && !is_running) return state === 'connected' ? untold : null
  if (state === 'connected')
    return told?.isDisconnected ? 'its entries say disconnected, and it is not' : null
  const isReplaced = [...integrations].some(([other, { provider: its }]) => other !== id && its === provider)
  return told?.isDisconnected || isReplaced || is_running ? null : 'it is disconnected, and no entry tells it'
}

function accountFault(facts: AuthorityFacts['account'], told: Authority): string | null {
  if (facts.suspended !== told.isSuspended)
    return facts.suspended
      ? 'it is suspended, and no entry tells it'
      : 'its entries say suspended, and it is not'
  return facts.policy_version === told.policyVersion
    ? null
    : `version ${facts.policy_version} of its policy is in force, its entries say ${told.policyVersion}`
}

const isSame = (a: unknown, b: unknown): boolean =>
  canonical((a ?? null) as Json) === canonical((b ?? null) as Json)
