import { limits } from '../limits.ts'
import { readFileOption, readJsonOption } from './read-file-option.ts'
import type { CliContext } from './context.ts'
import type { RemoteCall } from './remote-gate.ts'
import { UsageError } from './verb.ts'

type Given = Record<string, unknown>
type RemoteVerb = (call: RemoteCall, given: Given, context: CliContext) => Promise<unknown>

/** The verbs that work over another gate's API: each answers what it answers beside the database. */
export const remoteVerbs: Record<string, RemoteVerb> = {
  'member list': async (call) =>
    (await allMembers(call)).toSorted((a, b) => a.name.localeCompare(b.name, 'en')),
  'member add': (call, { name, email, slack, teams }) => call('add_member', { name, email, slack, teams }),
  async 'member import'(call, { file, 'dry-run': isDry }) {
    const csv = readFileOption('file', file as string)
    const plan = await call('import_members', { csv, dry_run: true })
    return isDry || (plan['problems'] as unknown[]).length > 0 ? plan : call('import_members', { csv })
  },
  async 'member export'(call, _given, context) {
    let text = ''
    for await (const part of await call.stream('export_members')) text += part
    if (context.isJson) return text.split(/\r?\n/).filter((line) => line !== '')
    context.stdout.write(text)
    return undefined
  },
  async 'member set-tier'(call, { tier, clear, ...given }) {
    const set = await call('set_member_tier', { member: memberIn(given), tier, clear })
    return { tier: set['tier'], tier_source: set['tier_source'] }
  },
  'member update': (call, given) =>
    call('update_member', {
      member: memberIn(given),
      name: given['name'],
      email: given['new-email'],
      slack: given['new-slack'],
      teams: given['new-teams'],
      remove: ['email', 'slack', 'teams'].filter((one) => given[`remove-${one}`]),
    }),
  'member activate': (call, given) => call('activate_member', { member: memberIn(given) }),
  'member deactivate': (call, given) => call('deactivate_member', { member: memberIn(given) }),
  'member erase': (call, { reason, ...given }) => call('erase_member', { member: memberIn(given), reason }),

  'group list': async (call) => (await call('list_groups'))['groups'],
  'group show': async (call, { group, after }) =>
    (await call('list_group_members', { group, after, limit: limits.pageRowsMax }))['members'],
  'group create': (call, { name }) => call('create_group', { name }),
  'group rename': (call, { group, name }) => call('rename_group', { group, name }),
  'group remove': (call, { group }) => call('remove_group', { group }),
  'group add-member': (call, { group, ...given }) =>
    call('add_group_member', { group, member: memberIn(given) }),
  'group remove-member': (call, { group, ...given }) =>
    call('remove_group_member', { group, member: memberIn(given) }),

  'directory show': (call) => call('get_directory', {}),
  'directory token': (call, { name, 'overlap-hours': hours }) =>
    call('make_directory_token', { name, overlap_hours: hours }),
  'directory end': (call) => call('end_directory', {}),
  'directory adopt': (call, { email }) => call('adopt_members', { email }),

  'curriculum list': async (call) => (await call('list_curricula'))['curricula'],
  'curriculum add': (call, given) =>
    call('add_curriculum', {
      slug: given['slug'],
      title: given['title'],
      modules: given['modules'],
      grants: given['grants'],
      valid_days: given['valid-days'],
      module_titles: titlesIn(given),
    }),
  'curriculum change': (call, given) =>
    call('change_curriculum', {
      curriculum: given['slug'],
      title: given['title'],
      modules: given['modules'],
      grants: given['grants'],
      valid_days: given['valid-days'],
      module_titles: titlesIn(given),
      remove: [
        ...(given['no-expiry'] ? ['valid_days'] : []),
        ...(given['no-module-titles'] ? ['module_titles'] : []),
      ],
      dry_run: given['dry-run'],
    }),
  'curriculum retire': (call, given) =>
    call('retire_curriculum', { curriculum: given['slug'], dry_run: given['dry-run'] }),
  'curriculum restore': (call, given) =>
    call('restore_curriculum', { curriculum: given['slug'], dry_run: given['dry-run'] }),

  'certification list': async (call, given) =>
    (await call('list_certifications', { member: memberIn(given) }))['certifications'],
  'certification pass': (call, { curriculum, module, at, ...given }) =>
    call('record_certification', { member: memberIn(given), curriculum, module, at }),
  'certification revoke': (call, { curriculum, module, ...given }) =>
    call('revoke_certification', { member: memberIn(given), curriculum, module }),

  'key list': async (call) => (await call('list_keys'))['keys'],
  async 'key revoke'(call, { key }) {
    const { key_id, revoked_at } = await call('revoke_key', { key_id: key })
    return { key_id, revoked_at }
  },
  'key rotate': (call, { key, overlap }) => call('rotate_key', { key_id: key, overlap_hours: overlap }),

  'delegation list': async (call) => (await call('list_delegations'))['delegations'],
  'delegation end': (call, { delegation }) => call('end_delegation', { delegation }),

  'app list': async (call) => (await call('list_apps'))['apps'],
  'app end': (call, { app }) => call('end_app', { app_id: app }),

  'policy show': (call) => call('get_policy'),
  'policy set': (call, { file, note, 'without-approvals': isAlone }) => {
    if (isAlone) throw new UsageError('--without-approvals does not go with --url')
    return call('set_policy', { document: readJsonOption('file', file as string), note })
  },
  'policy restore': (call, { version, note }) => call('restore_policy', { version, note }),

  'kind list': async (call) => (await call('list_kinds'))['kinds'],
  'kind show': (call, { kind, version }) => call('get_kind', { kind, version }),
  'kind add': (call, { file }) => call('add_kind', { document: readJsonOption('file', file as string) }),
  'kind retire': (call, { kind }) => call('retire_kind', { kind }),

  'integration list': async (call) => (await call('list_integrations'))['integrations'],
  'integration disconnect': (call, { provider }) => call('disconnect_integration', { provider }),

  'conversation list': async (call) => (await call('list_conversations'))['conversations'],
  'conversation add-participant': (call, { id, ...given }) =>
    call('add_participant', { conversation_id: id, member: memberIn(given) }),
  'conversation remove-participant': (call, { id, ...given }) =>
    call('remove_participant', { conversation_id: id, member: memberIn(given) }),

  'endpoint list': async (call) => (await call('list_endpoints'))['endpoints'],
  'endpoint add': (call, { url, description, type, full }) =>
    call('add_endpoint', { url, description, full, types: typesIn(type) }),
  'endpoint change': (call, { endpoint, url, description, type, full, thin, 'all-types': isAll }) =>
    call('change_endpoint', {
      endpoint,
      url,
      description,
      types: typesIn(type),
      all_types: isAll ? true : undefined,
      full: full ? true : thin ? false : undefined,
    }),
  'endpoint on': (call, { endpoint }) => call('turn_endpoint_on', { endpoint }),
  'endpoint off': (call, { endpoint }) => call('turn_endpoint_off', { endpoint }),
  'endpoint rotate': (call, { endpoint }) => call('rotate_endpoint', { endpoint }),
  'endpoint remove': (call, { endpoint }) => call('remove_endpoint', { endpoint }),
  'endpoint test': (call, { endpoint }) => call('test_endpoint', { endpoint }),
  'endpoint replay': (call, { endpoint, event, since }) => call('replay_events', { endpoint, event, since }),

  'action break-glass': async (call) => (await call('list_glass_breaks'))['break_glass'],
  'action cancel': (call, { id, reason }) => call('cancel_as_admin', { id, reason }),
  'action erase': (call, { id, reason }) => call('erase_action', { id, reason }),

  'mandate list': async (call) => (await call('list_mandates'))['mandates'],
  'mandate freeze': (call, { id }) => call('freeze_mandate', { id }),
  'mandate end': (call, { id }) => call('end_mandate', { id }),

  'account suspend': (call) => call('suspend_account'),
  'account resume': (call) => call('resume_account'),
  'account update': (call, given) => call('update_account', { key_limits: given['key-limits'] }),

  async 'ledger export'(call, given, context) {
    if (context.isJson || given['sealed'] || given['archive'] !== undefined)
      throw new UsageError(
        'over --url, a ledger is exported as JSON lines: leave out --json, --sealed and --archive',
      )
    for await (const part of await call.stream('export_ledger')) context.stdout.write(part)
    return undefined
  },
}

/** A member as the API names them. */
function memberIn({ email, slack, member }: Given): string {
  return (member ?? email ?? `slack:${String(slack)}`) as string
}

const typesIn = (types: unknown) => ((types as string[]).length === 0 ? undefined : types)

function titlesIn(given: Given): string[] | undefined {
  const titles = given['module-title'] as string[]
  return titles.length === 0 ? undefined : titles
}

async function allMembers(call: RemoteCall): Promise<{ name: string }[]> {
  const all: { name: string }[] = []
  for (let after: string | undefined = ''; after !== undefined;) {
    const page = (await call('list_members', { limit: 500, ...(after === '' ? {} : { after }) })) as {
      members: { name: string }[]
      next_after?: string
    }
    all.push(...page.members)
    after = page.next_after
  }
  return all
}

const dates =
  /^(?:created|last_used|revoked|expires|ended|retired|suspended|connected|disconnected|off)_at$|^(?:old_expires_at|failing_since|rotates_until|next_since)$/

/** An answer as the verb gives it beside the database: dates are dates, for people. */
export function withDates(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(withDates)
  if (typeof answer !== 'object' || answer === null) return answer
  return Object.fromEntries(
    Object.entries(answer).map(([name, value]) => [
      name,
      dates.test(name) && typeof value === 'string' ? new Date(value) : value,
    ]),
  )
}
