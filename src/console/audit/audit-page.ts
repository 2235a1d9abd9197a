import { z } from 'zod'
import { type EntryGroup, entryGroups } from '../../gate/entry-groups.ts'
import { listAdmins } from '../../operations/admins/list-admins.ts'
import type { Names } from '../../operations/names-of-ids.ts'
import {
  type AuditEntry,
  type AuditFilter,
  type KindOfRow,
  browseAudit,
  kindsOfEntries,
} from '../../operations/audit/audit-log.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { prose } from '../../web/prose.ts'
import { addDays, defaultTimeZone, startOfDay } from '../../web/times.ts'
import { dateField, day } from '../date-field.ts'
import { optionally } from '../forms.ts'
import { actorPart } from '../ledger/entries.ts'
import { entryTone, entryWords } from '../ledger/entry-words.ts'
import { accountOf, definePage } from '../page.ts'
import { ago, choice, csvLink, empty, nextPage, table } from '../parts.ts'
import { auditPath } from './audit-path.ts'
import { targetPart } from './entry-target.ts'

const groups = Object.keys(entryGroups) as EntryGroup[]

export const auditQuery = z.strictObject({
  group: optionally(z.enum([...groups, 'all'], 'must be a group of the list')),
  actor: optionally(
    z
      .string()
      .regex(
        /^(admin|system|unknown|(admin:adm|admin:key|mem)_[0-9A-Za-z]{16})$/,
        'must be the actor of an entry',
      ),
  ),
  from: optionally(day),
  to: optionally(day),
  before: optionally(z.string().regex(/^[1-9]\d{0,14}$/, 'must be an entry number')),
})
type Query = z.output<typeof auditQuery>

/** Every ledger entry of the account, newest first. */
export const auditPage = definePage({
  path: auditPath,
  role: 'admin',
  query: auditQuery,
  async show(context, query) {
    const { deps, session } = context
    const filter = filterOf(query, session.timeZone ?? defaultTimeZone)
    const [page, admins] = await Promise.all([
      browseAudit(deps.db, session.account, filter),
      listAdmins(accountOf(context)),
    ])
    const kindOf = await kindsOfEntries(deps, session.account, page.entries)
    const actors = admins.map(({ admin_id: id, email }) => [`admin:${id}`, email] as const)
    return {
      title: 'Audit log',
      body: html`<p>
          Every entry of the ledger: what agents, members and administrators did, and what was refused.
          Entries are never changed or deleted. Actions are in the <a href="/console/ledger">ledger</a>.
        </p>
        ${filterForm(query, actors, page.names)}
        ${page.entries.length === 0 ? emptyLog(query) : entriesTable(page.entries, { names: page.names, kindOf })}
        ${nextPage(page.next === undefined ? undefined : addressOf(auditPath, { ...query, before: String(page.next) }))}
        ${page.entries.length === 0 ? '' : csvLink(addressOf(`${auditPath}.csv`, { ...query, before: undefined }))}`,
    }
  },
})

export function filterOf({ group, actor, from, to, before }: Query, timeZone: string): AuditFilter {
  return {
    group: group ?? null,
    actor: actor ?? null,
    from: from === undefined ? null : startOfDay(from, timeZone),
    // The day itself is included.
    to: to === undefined ? null : startOfDay(addDays(to, 1), timeZone),
    before: before === undefined ? null : Number(before),
  }
}

const groupWords: Record<EntryGroup, string> = {
  actions: 'Proposals and their outcome',
  refusals: 'Refused decisions and writes',
  members: 'Members, tiers, certifications',
  keys: 'API keys',
  policy: 'Policy',
  runners: 'Tool calls of agent runners',
  mandates: 'Mandates',
  tools: 'Calls of tools of MCP servers',
  account: 'Account, administrators, providers',
  previews: 'Previews and conversations',
}

function filterForm(query: Query, admins: (readonly [string, string])[], names: Names): Html {
  const known: (readonly [string, string])[] = [
    ...admins,
    ['admin', 'command line'],
    ['system', 'system'],
    ['company', 'the company'],
    ['executor', 'executor'],
    ['unknown', 'not a member'],
  ]
  const { actor } = query
  const isListed = actor === undefined || known.some(([value]) => value === actor)
  const other = isListed ? [] : [[actor, names.get(actor.replace(/^admin:/, '')) ?? actor] as const]
  return html`<form method="get" action="${auditPath}" class="filter wide" aria-label="Filter entries">
    ${choice({
      name: 'group',
      label: 'Entries',
      value: query.group ?? '',
      values: [
        ['', 'All except checks'],
        ...groups.map((group) => [group, groupWords[group]] as const),
        ['all', 'All with checks'],
      ],
    })}
    ${choice({ name: 'actor', label: 'By', value: actor ?? '', values: [['', 'anyone'], ...known, ...other] })}
    ${dateField('from', 'From', query.from)} ${dateField('to', 'To', query.to)}
    <div class="last"><button type="submit">Filter entries</button></div>
  </form>`
}

const entriesTable = (entries: AuditEntry[], { names, kindOf }: { names: Names; kindOf: KindOfRow }): Html =>
  html`<div class="lines of-entries">
    ${table(
      'Entries',
      ['Entry', 'Time', 'What', 'About', 'By'],
      entries.map((entry): Part[] => [
        html`<a href="${auditPath}/${entry.seq}">${entry.seq}</a>`,
        ago(entry.at),
        html`<span class="tone ${entryTone(entry) ?? ''}" title="${wordsOf(entry, names).replaceAll('`', '')}"
          >${prose(wordsOf(entry, names))}</span
        >`,
        targetPart(entry, { names, kindOf }),
        actorPart(entry, names),
      ]),
    )}
  </div>`

/** An entry in words, safe to show. */
export const wordsOf = (entry: AuditEntry, names: Names): string =>
  escapeInvisible(entryWords(entry, { names, actionKind: entry.action_kind ?? undefined }))

const emptyLog = ({ before }: Query): Html =>
  before === undefined
    ? empty(html`No matching entries. <a href="${auditPath}">Show all entries</a>`)
    : empty('No more entries.')

const addressOf = (path: string, query: Query): string =>
  `${path}?${new URLSearchParams(Object.entries(query).filter((pair): pair is [string, string] => pair[1] !== undefined))}`
