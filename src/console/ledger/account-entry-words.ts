import type { EntryKind } from '../../gate/lifecycle.ts'
import type { Words } from './entry-words.ts'

type AccountEntryKind = Extract<
  EntryKind,
  | 'account_created'
  | 'account_suspended'
  | 'admin_called'
  | 'admin_changed'
  | 'app_client_added'
  | 'app_client_removed'
  | 'app_connected'
  | 'app_ended'
  | 'conversation_changed'
  | 'curriculum_changed'
  | 'curriculum_retired'
  | 'group_changed'
  | 'delegation_started'
  | 'delegation_ended'
  | 'device_added'
  | 'device_removed'
  | 'endpoint_removed'
  | 'endpoint_set'
  | 'integration_connected'
  | 'integration_disconnected'
  | 'key_limits_set'
  | 'kind_secret_rotated'
  | 'key_minted'
  | 'key_revoked'
  | 'key_rotated'
  | 'ledger_archived'
  | 'member_changed'
  | 'pass_recorded'
  | 'passkey_added'
  | 'passkey_removed'
  | 'policy_set'
  | 'kind_set'
  | 'kind_retired'
  | 'tier_set'
  | 'upstream_added'
  | 'upstream_changed'
  | 'upstream_removed'
  | 'upstream_tool_reviewed'
  | 'upstream_tool_quarantined'
  | 'write_refused'
>

/** The words of entries about the account itself: its people, keys, rules and providers. */
export const accountWords: Record<AccountEntryKind, Words> = {
  account_created: () => 'Account created',
  account_suspended: ({ data }) => (data['suspended'] === false ? 'Account resumed' : 'Account suspended'),
  admin_called: ({ text }) => `Administration API called: ${text('operation') ?? 'not recorded'}`,
  admin_changed: ({ text, named }) =>
    `${text('role') === 'auditor' ? 'Auditor' : 'Administrator'} ${changeOf(text)}: ${named('admin')}`,
  app_client_added: ({ text }) => `Client for an app added: ${text('client') ?? 'not recorded'}`,
  app_client_removed: ({ text }) => `Client for an app removed: ${text('client') ?? 'not recorded'}`,
  app_connected: ({ text, named }) =>
    `App of ${text('host') ?? 'not recorded'} connected for ${named('member')}`,
  app_ended: ({ text }) =>
    `App ${text('app') ?? 'not recorded'} disconnected: ${endsOfApps[text('reason') ?? ''] ?? 'reason not recorded'}`,
  endpoint_removed: ({ text }) => `Endpoint removed: ${text('endpoint') ?? 'not recorded'}`,
  endpoint_set: ({ text }) =>
    `Endpoint ${endpointChanges[text('change') ?? ''] ?? 'changed'}: ${text('endpoint') ?? 'not recorded'}${text('off') === undefined ? '' : ` (${text('off')})`}`,
  conversation_changed: ({ data, text, named }) => {
    const conversation = text('conversation') ?? 'not recorded'
    const change = text('change')
    if (change === 'participant_added') return `${named('member')} added to conversation ${conversation}`
    if (change === 'participant_removed')
      return `${named('member')} removed from conversation ${conversation}`
    return `Conversation ${conversation} ${changeOf(text)} with ${count(data['members'], 'member')}`
  },
  curriculum_changed: ({ text }) => `Curriculum ${changeOf(text)}: ${text('curriculum') ?? 'not recorded'}`,
  curriculum_retired: ({ data, text }) =>
    `Curriculum ${data['retired'] === false ? 'restored' : 'retired'}: ${text('curriculum') ?? 'not recorded'}`,
  group_changed: ({ data, text, named }) =>
    text('change') === 'members'
      ? `Group ${named('group')}: ${count(data['added'], 'member')} added, ${count(data['removed'], 'member')} removed`
      : `Group ${changeOf(text)}: ${named('group')}`,
  delegation_started: ({ text, named }) =>
    `Deputy named: ${named('to')} approves for ${named('from')} until ${text('until') ?? 'not recorded'}`,
  delegation_ended: ({ text }) =>
    `Delegation ended: ${text('delegation') ?? 'not recorded'}, ${endsOfDelegations[text('reason') ?? ''] ?? 'reason not recorded'}`,
  device_added: ({ named }) => `Device with notifications added: ${named('member')}`,
  device_removed: ({ text, named }) =>
    `Device with notifications removed: ${named('member')}, ${endsOfDevices[text('reason') ?? ''] ?? 'reason not recorded'}`,
  integration_connected: ({ data, text }) =>
    `Provider ${data['replaces'] === null ? 'connected' : 'replaced'}: ${text('provider') ?? 'not recorded'}`,
  integration_disconnected: ({ text }) => `Provider disconnected: ${text('provider') ?? 'not recorded'}`,
  key_limits_set: ({ text }) =>
    text('key_limits') === 'shared'
      ? 'Key limits set: all API processes count together'
      : 'Key limits set: each API process counts its own requests',
  key_minted: ({ text, named }) =>
    text('app') === undefined
      ? `API key created: ${named('key')}${text('rotated_from') === undefined ? '' : ', which replaces another'}`
      : `Access token issued to the app of ${named('app')}`,
  key_revoked: ({ named }) => `API key revoked: ${named('key')}`,
  key_rotated: ({ named }) => `API key rotated: ${named('key')}`,
  kind_retired: ({ text }) => `Kind retired: ${text('kind') ?? 'not recorded'}`,
  kind_set: ({ data, text }) =>
    `Kind declared: ${text('kind') ?? 'not recorded'}, version ${String(data['version'] ?? '?')}`,
  kind_secret_rotated: ({ data, text }) =>
    `Secret of ${text('kind') ?? 'a kind'} ${data['replaces'] === null ? 'created' : 'rotated'}`,
  ledger_archived: ({ data }) =>
    typeof data['first_seq'] === 'number' && typeof data['last_seq'] === 'number'
      ? `Entries ${data['first_seq']} to ${data['last_seq']} moved into an archive`
      : 'Entries moved into an archive',
  member_changed: ({ data, text, named }) => {
    if (text('change') === 'identity_confirmed')
      return `Changed ${list(data['fields'])} confirmed: ${named('member')}`
    const fields = list(data['fields'])
    return `Member ${changeOf(text)}: ${named('member')}${fields === '' ? '' : ` (${fields})`}${endsOf(data['ended'])}`
  },
  pass_recorded: ({ data, text, named }) => {
    const module = data['module'] === null ? 'every module' : `module ${String(data['module'] ?? '?')}`
    const change = text('change') === 'revoked' ? 'Pass revoked' : 'Pass recorded'
    return `${change}: ${named('member')}, ${module} of ${text('curriculum') ?? 'not recorded'}`
  },
  passkey_added: ({ data, named }) =>
    `Passkey added: ${named('member')}, ${data['device_bound'] === true ? 'bound to its device' : 'synced'}`,
  passkey_removed: ({ named }) => `Passkey removed: ${named('member')}`,
  policy_set: ({ data }) => {
    const kinds = list(data['kinds'])
    const restored =
      typeof data['restores'] === 'number' ? `, which restores version ${data['restores']}` : ''
    return `Policy version ${String(data['version'] ?? '?')} set${restored}${kinds === '' ? '' : ` (rules of: ${kinds})`}`
  },
  tier_set: ({ text, named }) =>
    text('tier') === undefined
      ? `Tier override removed: ${named('member')}`
      : `Tier set: ${named('member')} has ${text('tier')}`,
  upstream_added: ({ text }) => `MCP server added: ${text('upstream') ?? 'not recorded'}`,
  upstream_changed: ({ data, text }) => {
    const upstream = text('upstream') ?? 'not recorded'
    if (text('change') !== 'rule') return `Headers of MCP server ${upstream} replaced`
    return `Rule of ${text('tool') ?? 'a tool'} of MCP server ${upstream} set: ${ruleIn(data['rule'])}`
  },
  upstream_removed: ({ text }) => `MCP server removed: ${text('upstream') ?? 'not recorded'}`,
  upstream_tool_quarantined: ({ text }) =>
    `Tool of MCP server ${text('upstream') ?? 'not recorded'} changed, in quarantine: ${text('tool') ?? 'not recorded'}`,
  upstream_tool_reviewed: ({ data, text }) =>
    `Tools of MCP server ${text('upstream') ?? 'not recorded'} reviewed: ${count(data['tools'], 'tool')}`,
  write_refused: ({ text }) =>
    `Refused: ${text('operation') ?? 'a write'}, ${wordsOfRefusal(text('reason') ?? 'reason not recorded')}`,
}

/** Why a delegation ended before its time. */
const endsOfDelegations: Record<string, string> = {
  withdrawn: 'by whom it was for',
  declined: 'by the deputy',
  administrator: 'by an administrator',
  member_deactivated: 'one of the two was deactivated',
}

/** Why a device was removed. */
const endsOfDevices: Record<string, string> = {
  removed: 'by the member',
  signed_out: 'they signed out everywhere',
  other_member: 'another member uses that browser now',
  gone: 'its push service no longer knows it',
}

/** Why an app was disconnected. */
const endsOfApps: Record<string, string> = {
  disconnected: 'by a person',
  given_back: 'the app signed out',
  client_removed: 'its client was removed',
  account_suspended: 'the account was suspended',
  member_deactivated: 'the member was deactivated',
  code_reused: 'its code was used twice',
  code_mismatch: 'its code came from another app',
  refresh_reused: 'a refresh token was used twice',
  refresh_mismatch: 'a refresh token came from another app',
}

/** How much ended with the rights of a member, by kind. */
function endsOf(ended: unknown): string {
  const kinds = Object.entries((ended ?? {}) as Record<string, unknown[]>)
  const counts = kinds.map(([kind, ids]) => `${ids.length} ${ids.length === 1 ? kind.slice(0, -1) : kind}`)
  return counts.length === 0 ? '' : `; ended with them: ${counts.join(', ')}`
}

/** Why a write was refused before it was looked at. Other reasons are shown as they are. */
const refusals: Record<string, string> = {
  key_expired: 'the API key had expired',
  key_revoked: 'the API key was revoked',
  session_over: 'the session had ended',
  not_admin: 'the user was no longer an administrator',
  auditor: 'the user was an auditor',
  admin_calls_limit: 'the API key had reached its daily limit of calls of administration',
  other_kind: 'the API key was limited to other kinds of action',
}

function wordsOfRefusal(reason: string): string {
  const [, power] = /^no_power_([a-z_:.]+)$/.exec(reason) ?? []
  return power === undefined ? (refusals[reason] ?? reason) : `the API key lacked the power "${power}"`
}

const ruleIn = (rule: unknown): string =>
  typeof rule === 'object' && rule !== null && 'rule' in rule ? String(rule.rule) : 'not recorded'

const changeOf = (text: (name: string) => string | undefined): string =>
  (text('change') ?? 'changed').replaceAll('_', ' ')

const list = (value: unknown): string => (Array.isArray(value) ? value.map(String).join(', ') : '')

const count = (value: unknown, noun: string): string => {
  const size = Array.isArray(value) ? value.length : 0
  return `${size} ${noun}${size === 1 ? '' : 's'}`
}

const endpointChanges: Partial<Record<string, string>> = {
  added: 'added',
  rotated: 'given new secrets',
  on: 'turned on',
  off: 'turned off',
}
