import type { Link } from './chain.ts'
import type { ParsedEntry } from './checker.ts'
import { upstreamHandlers } from './upstream-authority.ts'

/** What ledger entries record about one thing. `seq`: the entry that created it, or 0. `isSeen`: its row was compared. */
interface Recorded {
  seq: number
  isSeen: boolean
}

export interface RecordedMember extends Recorded {
  isActive: boolean
  tier: string | null
  identityDigest: string | null
  /** By curriculum, then by module. */
  passes: Map<string, Map<number, RecordedPass>>
}

/** Times in milliseconds. */
export interface RecordedPass {
  at: number
  latestAt: number
  isRevoked: boolean
}

export interface RecordedKey extends Recorded {
  isRevoked: boolean
  /** The rights that the entries record for the key. */
  rights: Record<string, unknown>
  keyHash: string | null
  nameDigest: string | null
  rotatedFrom: string | null
  family: string
}

export interface RecordedAdmin extends Recorded {
  isRemoved: boolean
  mailboxDigest: string | null
}

export interface RecordedCurriculum extends Recorded {
  isRetired: boolean
  facts: Record<string, unknown>
}

export interface RecordedPolicy extends Recorded {
  document: unknown
  noteDigest: string | null
}

export interface RecordedConversation extends Recorded {
  members: Set<string>
}

export interface RecordedIntegration extends Recorded {
  provider: string
  /** Whether an entry records that it was connected: by an action, or by an administrator in the console. */
  isConnected: boolean
  action: number | null
  admin: string | null
  isDisconnected: boolean
}

export interface RecordedUpstream extends Recorded {
  facts: Record<string, unknown>
  tools: Map<string, RecordedTool>
}

/** `reviewed`: the hash of what was reviewed. */
export interface RecordedTool {
  reviewed: string | null
  isQuarantined: boolean
  rule: unknown
}

/**
 * Members, keys, administrators and their rights in an account, as rebuilt from its ledger entries. Uses about 300 bytes of
 * memory per member, key, administrator, conversation and policy, and 100 per pass and participant; actions use none.
 */
export interface Authority {
  members: Map<string, RecordedMember>
  keys: Map<string, RecordedKey>
  admins: Map<string, RecordedAdmin>
  curricula: Map<string, RecordedCurriculum>
  /** By version. */
  policies: Map<number, RecordedPolicy>
  conversations: Map<string, RecordedConversation>
  integrations: Map<string, RecordedIntegration>
  upstreams: Map<string, RecordedUpstream>
  /** The digest of the account's name; null before the first entry. */
  nameDigest: string | null
  isSuspended: boolean
  /** How the requests of its keys are counted. */
  keyLimits: string
  policyVersion: number
  take(link: Link, entry: ParsedEntry): void
}

type Data = Record<string, unknown>

/** Replays the entries about an account. */
export function ledgerAuthority(): Authority {
  const authority: Authority = {
    members: new Map(),
    keys: new Map(),
    admins: new Map(),
    curricula: new Map(),
    policies: new Map(),
    conversations: new Map(),
    integrations: new Map(),
    upstreams: new Map(),
    nameDigest: null,
    isSuspended: false,
    keyLimits: 'per_process',
    // Every account starts with version 1, the default policy, which is not stored.
    policyVersion: 1,
    take(link, { data = {}, actor }) {
      entryHandlers[link.kind]?.(authority, data, link, textOf(actor) ?? '')
    },
  }
  return authority
}

export type Handler = (authority: Authority, data: Data, link: Link, actor: string) => void

/** Of each kind of entry. */
const entryHandlers: Partial<Record<string, Handler>> = {
  account_created(authority, data) {
    authority.nameDigest = textOf(data['name_digest'])
  },

  member_changed({ members }, data, link) {
    const member = memberOf(members, data)
    if (data['change'] === 'added') member.seq = link.seq
    if (data['change'] === 'activated') member.isActive = true
    if (data['change'] === 'deactivated') member.isActive = false
    // A confirmed identity changes nothing, and its entry has no digest.
    member.identityDigest = textOf(data['identity_digest']) ?? member.identityDigest
  },

  tier_set({ members }, data) {
    memberOf(members, data).tier = textOf(data['tier'])
  },

  pass_recorded({ members }, data) {
    const { passes } = memberOf(members, data)
    const curriculum = String(data['curriculum'])
    const modules = passes.get(curriculum) ?? new Map<number, RecordedPass>()
    passes.set(curriculum, modules)
    if (data['change'] === 'revoked') {
      const revoked = data['module'] === null ? modules.values() : [modules.get(Number(data['module']))]
      for (const pass of revoked) if (pass) pass.isRevoked = true
      return
    }
    const at = Date.parse(String(data['at']))
    const before = modules.get(Number(data['module']))
    const latestAt = Math.max(at, before?.latestAt ?? at)
    modules.set(Number(data['module']), { at, latestAt, isRevoked: false })
  },

  key_minted({ keys }, data, link) {
    const { key, key_hash, name_digest, rotated_from, ...rights } = data
    const rotatedFrom = textOf(rotated_from)
    keys.set(String(key), {
      seq: link.seq,
      isSeen: false,
      isRevoked: false,
      rights,
      keyHash: textOf(key_hash),
      nameDigest: textOf(name_digest),
      rotatedFrom,
      family: rotatedFrom === null ? String(key) : (keys.get(rotatedFrom)?.family ?? rotatedFrom),
    })
  },

  key_revoked({ keys }, data) {
    const key = keys.get(String(data['key']))
    if (key) key.isRevoked = true
  },

  key_rotated({ keys }, data) {
    const key = keys.get(String(data['key']))
    if (key) key.rights['expires_at'] = data['expires_at']
  },

  admin_changed({ admins }, data, link) {
    const admin = String(data['admin'])
    const known = admins.get(admin)
    admins.set(admin, {
      seq: known?.seq ?? link.seq,
      isSeen: known?.isSeen ?? false,
      isRemoved: data['change'] === 'removed',
      mailboxDigest: textOf(data['mailbox_digest']),
    })
  },

  curriculum_changed({ curricula }, data, link) {
    const { curriculum, change, ...facts } = data
    const known = curricula.get(String(curriculum))
    if (known && change === 'changed') known.facts = facts
    else curricula.set(String(curriculum), { seq: link.seq, isSeen: false, isRetired: false, facts })
  },

  curriculum_retired({ curricula }, data) {
    const known = curricula.get(String(data['curriculum']))
    if (known) known.isRetired = data['retired'] === true
  },

  policy_set(authority, data, link) {
    const version = Number(data['version'])
    authority.policies.set(version, {
      seq: link.seq,
      isSeen: false,
      document: data['document'],
      noteDigest: textOf(data['note_digest']),
    })
    authority.policyVersion = version
  },

  conversation_changed({ conversations }, data, link) {
    const id = String(data['conversation'])
    const member = String(data['member'])
    const told = conversations.get(id) ?? { seq: link.seq, isSeen: false, members: new Set<string>() }
    conversations.set(id, told)
    if (data['change'] === 'created') for (const given of data['members'] as string[]) told.members.add(given)
    if (data['change'] === 'participant_added') told.members.add(member)
    if (data['change'] === 'participant_removed') told.members.delete(member)
  },

  account_suspended(authority, data) {
    authority.isSuspended = data['suspended'] === true
  },

  key_limits_set(authority, data) {
    authority.keyLimits = String(data['key_limits'])
  },

  executed({ integrations }, data, link) {
    const id = textOf(data['integration_id'])
    if (id === null) return
    integrations.set(id, {
      seq: link.seq,
      isSeen: false,
      provider: String(data['provider']),
      isConnected: true,
      action: link.action_id,
      admin: null,
      isDisconnected: integrations.get(id)?.isDisconnected ?? false,
    })
  },

  integration_connected({ integrations }, data, link, actor) {
    integrations.set(String(data['integration']), {
      seq: link.seq,
      isSeen: false,
      provider: String(data['provider']),
      isConnected: true,
      action: null,
      admin: actor.startsWith('admin:') ? actor.slice('admin:'.length) : null,
      isDisconnected: false,
    })
  },

  // The connection may have been disconnected before its execution was recorded.
  integration_disconnected({ integrations }, data) {
    const id = String(data['integration'])
    const known = integrations.get(id)
    if (known) known.isDisconnected = true
    else
      integrations.set(id, {
        seq: 0,
        isSeen: false,
        provider: String(data['provider']),
        isConnected: false,
        action: null,
        admin: null,
        isDisconnected: true,
      })
  },

  ...upstreamHandlers,
}

function memberOf(members: Authority['members'], data: Data): RecordedMember {
  const id = String(data['member'])
  const known = members.get(id)
  if (known) return known
  const made: RecordedMember = {
    seq: 0,
    isSeen: false,
    isActive: true,
    tier: null,
    identityDigest: null,
    passes: new Map(),
  }
  members.set(id, made)
  return made
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
