import type { Link } from './chain.ts'
import { companyHandlers } from './company/authority.ts'
import { endpointHandlers } from './events/authority.ts'
import { integrationHandlers } from './integration-authority.ts'
import { delegationHandlers, nameErased, passkeyHandlers, reasonErased } from './consents/authority.ts'
import { takeEnds } from './consents/member-ends.ts'
import type { Authority, RecordedGroup, RecordedMember, RecordedPass } from './recorded-authority.ts'
import { upstreamHandlers } from './upstream-authority.ts'

type Data = Record<string, unknown>

/** Replays the entries about an account. */
export function ledgerAuthority(): Authority {
  const authority: Authority = {
    members: new Map(),
    keys: new Map(),
    apps: new Map(),
    admins: new Map(),
    curricula: new Map(),
    kinds: new Map(),
    policies: new Map(),
    conversations: new Map(),
    integrations: new Map(),
    upstreams: new Map(),
    passkeys: new Map(),
    companies: new Map(),
    companyIdentities: new Map(),
    groups: new Map(),
    endpoints: new Map(),
    delegations: new Map(),
    nameDigest: null,
    isSuspended: false,
    suspensions: [],
    stripe: [],
    keyLimits: 'per_process',
    // Every account starts with version 1, the default policy, which is not stored.
    policyVersion: 1,
    lapses: new Map(),
    endedMandates: new Map(),
    take(link, { data = {}, actor, key }) {
      // What an entry names is never deleted.
      delete authority.keys.get(textOf(key) ?? '')?.goneAfter
      entryHandlers[link.kind]?.(authority, data, link, textOf(actor) ?? '')
    },
  }
  return authority
}

export type Handler = (authority: Authority, data: Data, link: Link, actor: string) => void

/** What each kind of entry changes. */
const entryHandlers: Partial<Record<string, Handler>> = {
  account_created(authority, data) {
    authority.nameDigest = textOf(data['name_digest'])
  },

  member_changed(authority, data, link, actor) {
    const { members, passkeys, delegations } = authority
    const member = memberOf(members, data)
    if (data['change'] === 'erased') {
      member.isErased = true
      member.directory = null
      nameErased(passkeys, String(data['member']))
      reasonErased(delegations, String(data['member']))
    }
    if (data['change'] === 'added') member.seq = link.seq
    if (data['active'] === false) member.isActive = false
    if (data['change'] === 'activated') member.isActive = true
    if (data['change'] === 'deactivated') member.isActive = false
    // A confirmed identity changes nothing, and its entry has no digest.
    member.identityDigest = textOf(data['identity_digest']) ?? member.identityDigest
    if (data['directory'] !== undefined) member.directory = textOf(data['directory'])
    for (const group of (data['left_groups'] as string[] | undefined) ?? [])
      leave(authority.groups.get(group), String(data['member']))
    takeIdentities(member, data, Date.parse(link.at), actor)
    takeEnds(authority, data, link, actor)
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

  key_minted({ keys }, data, link, actor) {
    const { key, key_hash, name_digest, rotated_from, app, ...rights } = data
    const rotatedFrom = textOf(rotated_from)
    const ofApp = textOf(app)
    keys.set(String(key), {
      seq: link.seq,
      isSeen: false,
      isRevoked: false,
      // Entries of keys without powers of administration do not say so.
      rights: { admin_calls_per_day: null, ...rights },
      keyHash: textOf(key_hash),
      nameDigest: textOf(name_digest),
      rotatedFrom,
      mintedBy: keys.get(actor.replace(/^admin:/, ''))?.mintedBy ?? actor,
      app: ofApp,
      ...(ofApp === null ? {} : { goneAfter: Date.parse(String(rights['expires_at'])) }),
      family: ofApp ?? (rotatedFrom === null ? String(key) : (keys.get(rotatedFrom)?.family ?? rotatedFrom)),
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

  app_connected({ apps }, data, link, actor) {
    apps.set(String(data['app']), { seq: link.seq, isSeen: false, data, grantedBy: actor, isEnded: false })
  },

  app_ended({ apps }, data) {
    const app = apps.get(String(data['app']))
    if (app) app.isEnded = true
  },

  admin_changed({ admins }, data, link) {
    const admin = String(data['admin'])
    const known = admins.get(admin)
    admins.set(admin, {
      seq: known?.seq ?? link.seq,
      isSeen: known?.isSeen ?? false,
      role: textOf(data['role']) ?? 'administrator',
      isManaged: data['managed'] === true,
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

  kind_set({ kinds }, data, link, actor) {
    kinds.set(kindVersionId(data), {
      seq: link.seq,
      isSeen: false,
      document: data['document'],
      createdBy: actor,
      isRetired: false,
    })
  },

  kind_retired({ kinds }, data) {
    const known = kinds.get(kindVersionId(data))
    if (known) known.isRetired = true
  },

  policy_set(authority, data, link) {
    const version = Number(data['version'])
    authority.policies.set(version, {
      seq: link.seq,
      isSeen: false,
      document: data['document'],
      noteDigest: textOf(data['note_digest']),
      action: data['action_id'] ?? null,
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

  group_changed({ groups }, data, link) {
    const id = String(data['group'])
    const change = data['change']
    if (change === 'removed') return void groups.delete(id)
    const told = groups.get(id) ?? {
      seq: link.seq,
      isSeen: false,
      nameDigest: null,
      isOfDirectory: data['origin'] === 'directory',
      externalDigest: null,
      members: new Set<string>(),
      countsFrom: new Map<string, string>(),
    }
    groups.set(id, told)
    told.nameDigest = textOf(data['name_digest']) ?? told.nameDigest
    if (told.isOfDirectory && data['external_digest'] !== undefined)
      told.externalDigest = textOf(data['external_digest'])
    for (const member of (data['added'] as string[] | undefined) ?? []) {
      told.members.add(member)
      const from = textOf(data['counts_from'])
      if (from !== null) told.countsFrom.set(member, from)
    }
    for (const member of (data['removed'] as string[] | undefined) ?? []) leave(told, member)
  },

  account_suspended(authority, data, link) {
    authority.isSuspended = data['suspended'] === true
    if (authority.isSuspended) authority.suspensions.push(Date.parse(link.at))
  },

  key_limits_set(authority, data) {
    authority.keyLimits = String(data['key_limits'])
  },

  ...companyHandlers,
  ...endpointHandlers,
  ...integrationHandlers,
  ...passkeyHandlers,
  ...delegationHandlers,
  ...upstreamHandlers,
}

/** Names a version of a declared kind as `gate.authority_page` does: versions as texts of one length. */
const kindVersionId = ({ kind, version }: Data): string =>
  `${String(kind)} ${String(version).padStart(10, '0')}`

function memberOf(members: Authority['members'], data: Data): RecordedMember {
  const id = String(data['member'])
  const known = members.get(id)
  if (known) return known
  const made: RecordedMember = {
    seq: 0,
    isSeen: false,
    isActive: true,
    isErased: false,
    tier: null,
    identityDigest: null,
    directory: null,
    identities: new Map(),
    passes: new Map(),
  }
  members.set(id, made)
  return made
}

function leave(group: RecordedGroup | undefined, member: string): void {
  group?.members.delete(member)
  group?.countsFrom.delete(member)
}

function takeIdentities({ identities }: RecordedMember, data: Data, at: number, by: string): void {
  const set = data['identities'] as Record<string, boolean> | undefined
  for (const [via, isChange] of Object.entries(set ?? {}))
    identities.set(via, { at, by, isChange, confirmed: null })
  if (data['change'] !== 'identity_confirmed') return
  const known = identities.get(String((data['fields'] as string[])[0]))
  if (known) known.confirmed = { at, by }
}

const textOf = (value: unknown): string | null => (typeof value === 'string' ? value : null)
