import { actionLine } from '../operations/actions/action-summary.ts'
import type { ActionTimeline, TimelineEntry } from '../operations/audit/action-timeline.ts'
import { type ActionStory, aboutOf, actorOf } from '../operations/audit/action-story.ts'
import { statusWordOf } from '../operations/actions/action-view.ts'
import type { ActionRequest } from '../operations/schemas.ts'
import { callChangeWords } from '../gate/result-words.ts'
import { actionKinds } from '../actions/registry.ts'
import { formatForPeople, lineCharsMax, printable } from './print.ts'
import type { GivenAccount } from './verb.ts'

export interface ActionsPage {
  actions: ActionRequest[]
  next_after?: number
}

const kinds = new Map(actionKinds.map((kind) => [kind.kind, kind]))

/** A page of actions as a table whose lines fit a terminal, and how to read on. */
export function actionsText({ actions, next_after: after }: ActionsPage): string {
  const rows = actions.map((row) => ({
    id: row.id,
    created: row.created_at.slice(0, 16).replace('T', ' '),
    kind: row.kind,
    status: statusWordOf(row),
    member: shortened(row.member, memberCharsMax),
  }))
  const table = formatForPeople(rows, { empty: 'No actions match.' })
  if (rows.length === 0) return table
  const lines = withSummaries(table.split('\n'), actions)
  return [
    ...lines,
    '',
    after === undefined ? 'Times are UTC.' : `Times are UTC. More: --after ${after}`,
  ].join('\n')
}

const memberCharsMax = 30
/** Less than this says nothing. */
const summaryCharsMin = 12

/** Appends what each action is, as far as there is room. */
function withSummaries([head, ...rows]: string[], actions: ActionRequest[]): string[] {
  const width = Math.max(...[head!, ...rows].map((row) => row.length)) + 2
  const room = lineCharsMax - width
  const summaries = actions.map((row) => lineOf(row).replaceAll(/\s+/g, ' '))
  if (room < summaryCharsMin || summaries.every((text) => text === '')) return [head!, ...rows]
  const texts = ['ABOUT', ...summaries]
  return [head!, ...rows].map((row, i) =>
    `${row.padEnd(width)}${printable(shortened(texts[i]!, room))}`.trimEnd(),
  )
}

const lineOf = ({ kind, payload, result, blast_radius: reach }: ActionRequest): string =>
  actionLine(kinds.get(kind), {
    kind,
    payload,
    result: result ?? null,
    reach_slack: reach.slack,
    reach_email: reach.email,
    reach_teams: reach.teams ?? 0,
  })

const shortened = (text: string, charsMax: number): string =>
  text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`

/** An action with its fields, and its timeline: one line for each ledger entry. */
export function actionText(
  { row, entries, callChanges, isCut, names, workflow }: ActionTimeline,
  account: GivenAccount,
): string {
  const {
    payload,
    blast_radius: reach,
    result,
    consent,
    consent_request: request,
    execution,
    ...fields
  } = row
  const reached = reach.slack + reach.email + reach.unreachable + (reach.teams ?? 0) === 0 ? undefined : reach
  const parts = [
    formatForPeople({
      ...fields,
      status: statusWordOf(row),
      ...named('payload', payload),
      ...named('reach', reached),
      ...named('execution', execution),
      ...named('consent_request', request),
      ...named('consent', consent),
      ...named('result', result),
      ...(workflow === undefined ? {} : { workflow: workflow.url ?? workflow.id }),
    }),
    'Timeline:',
    formatForPeople(
      inOrder([
        ...entries.map((entry) => entryLine(entry, names)),
        ...callChanges.map((change) => ({
          seq: null,
          at: change.at,
          entry: 'call',
          by: null,
          about: callChangeWords(change),
        })),
      ]),
    ),
  ]
  if (isCut) parts.push(`Not all entries are shown. \`gate ledger export${account}\` has all of them.`)
  return parts.join('\n\n')
}

const inOrder = <Line extends { at: Date }>(lines: Line[]): Line[] =>
  lines.toSorted((a, b) => a.at.getTime() - b.at.getTime())

/** The fields of an object, each on its own line: `payload.message`. */
const named = (name: string, fields: object = {}): Record<string, unknown> =>
  Object.fromEntries(Object.entries(fields).map(([field, value]) => [`${name}.${field}`, value]))

function entryLine({ seq, at, kind, content }: TimelineEntry, names: ActionTimeline['names']) {
  return { seq, at, entry: kind, by: actorOf(content.actor, names), about: aboutOf(content.data) }
}

/** The known steps of an action, one line each, and what is to come. */
export function storyText(
  { lines, next, is_cut: isCut, ...head }: ActionStory,
  account: GivenAccount,
): string {
  const parts = [
    formatForPeople({ ...head }),
    formatForPeople(lines.map((line) => ({ ...line }))),
    ['Next:', ...(next.length === 0 ? ['Nothing: it has ended.'] : next)].map(printable).join('\n'),
  ]
  if (isCut) parts.push(`Not all entries are shown. \`gate ledger export${account}\` has all of them.`)
  return parts.join('\n\n')
}
