import { type OutboxRow, readOutbox } from '../../db/queries/actions/open-actions.ts'
import { type AskedRow, listAsked } from '../../db/queries/actions/timeline.ts'
import { callChangeWords, resultWords } from '../../gate/result-words.ts'
import { limits } from '../../limits.ts'
import { statusWordOf } from '../actions/action-view.ts'
import { type ActionTimeline, type TimelineEntry, actionTimeline } from './action-timeline.ts'
import { idOf } from '../names-of-ids.ts'

/** One thing that is known of an action. No payload, no address. */
export interface StoryLine {
  at: Date
  /** Where it stands: the ledger, the outbox, the record of requests, calls and deliveries, or the log of a process. */
  from: 'ledger' | 'request' | 'call' | 'outbox' | 'log'
  what: string
  by: string | null
  about: string | null
}

export interface ActionStory {
  id: number
  kind: string
  /** The status as shown: `running` where it is confirmed and has not ended. */
  status: string
  /** How it ended, in words; null: it is open, or it was never to be executed. */
  result: string | null
  workflow: string | null
  lines: StoryLine[]
  /** What is to come; empty: it has ended. */
  next: string[]
  /** There are more ledger entries than are told. */
  is_cut: boolean
}

/**
 * What ledger, outbox and the records of requests and calls know of an action, in order: enough to see why it stands still where
 * no log is at hand.
 * @throws GateError `not_found`
 */
export async function actionStory(
  deps: Parameters<typeof actionTimeline>[0],
  account: string,
  id: number,
): Promise<ActionStory> {
  const [timeline, outbox, asked] = await Promise.all([
    actionTimeline(deps, account, id),
    readOutbox(deps.db, account, id),
    listAsked(deps.db, account, id, limits.timelineCallChangesMax),
  ])
  const { row, entries, callChanges, calls, workflow, isCut } = timeline
  const lines: StoryLine[] = [
    ...entries.map((entry) => entryLine(entry, timeline.names)),
    ...asked.flatMap(askedLines),
    ...callChanges.map((change): StoryLine => ({
      at: change.at,
      from: 'call',
      what: change.state,
      by: null,
      about: callChangeWords(change),
    })),
    ...calls.flatMap((call): StoryLine[] =>
      call.first_attempted_at === null
        ? []
        : [
            {
              at: call.first_attempted_at,
              from: 'call',
              what: call.state,
              by: null,
              about: `${call.provider}, ${call.attempt} attempts, first at this time${call.code === null ? '' : ` (${call.code})`}`,
            },
          ],
    ),
  ]
  return {
    id: row.id,
    kind: row.kind,
    status: statusWordOf(row),
    result: row.result === undefined ? null : resultWords(row.kind, row.result as Record<string, unknown>),
    workflow: workflow?.id ?? null,
    lines: lines.toSorted((a, b) => a.at.getTime() - b.at.getTime()),
    next: outbox === undefined ? [] : nextOf(outbox, timeline),
    is_cut: isCut,
  }
}

/** What the entry says beside its kind: the rule, the reason or the outcome if it has one, or its counts. Pure. */
export function aboutOf(data: Record<string, unknown> = {}): string | null {
  const said = [data['rule'], data['reason'], data['outcome'], data['strength'], data['state']]
  const text = said.find((value) => typeof value === 'string')
  if (typeof text === 'string') return text
  const counts = Object.entries(data).filter(([, value]) => typeof value === 'number')
  return counts.length === 0 ? null : counts.map(([name, count]) => `${String(count)} ${name}`).join(', ')
}

/** Who caused an entry, by their current name. Pure. */
export function actorOf(actor: unknown, names: ActionTimeline['names']): string | null {
  if (typeof actor !== 'string') return null
  return names.get(idOf(actor)) ?? actor
}

const entryLine = ({ at, kind, content }: TimelineEntry, names: ActionTimeline['names']): StoryLine => ({
  at,
  from: 'ledger',
  what: kind,
  by: actorOf(content.actor, names),
  about: aboutOf(content.data),
})

const askedLines = (asked: AskedRow): StoryLine[] => {
  const what = asked.is_reminder ? 'reminder' : 'request'
  const about = `${asked.required} by ${asked.via}: ${asked.state}${asked.code === null ? '' : ` (${asked.code})`}`
  return [{ at: asked.attempted_at ?? asked.created_at, from: 'request', what, by: null, about }]
}

/** What the outbox holds, and when the next call is. */
function nextOf(outbox: OutboxRow, { row }: ActionTimeline): string[] {
  const { execution, expires_at: expiresAt } = row
  return [
    ...(outbox.due_at === null
      ? []
      : [
          `The workflow is told \`${outbox.wake}\` at ${outbox.due_at.toISOString()}${outbox.woken === 0 ? '' : `, and was told ${outbox.woken} times`}.`,
        ]),
    ...(outbox.again_at === null ? [] : [`A step goes on at ${outbox.again_at.toISOString()}.`]),
    ...(execution?.last_error === undefined
      ? []
      : [
          `Attempt ${execution.attempts} failed (${execution.last_error}).${execution.next_attempt_at === undefined ? '' : ` The next one is at ${execution.next_attempt_at}.`}${execution.repeated_until === undefined ? '' : ` It is repeated until ${execution.repeated_until}.`}`,
        ]),
    ...(outbox.decided_at === null && expiresAt !== undefined ? [`It expires at ${expiresAt}.`] : []),
  ]
}
