import { isDeepStrictEqual } from 'node:util'
import type { Decision, Intent, Journal } from '../workload/journal.ts'
import { shownResult } from './answers.ts'
import type { Demand, Row, Stored } from './record.ts'

/** What the answers of writes allow: each was done, was not done, or may have been done. */
export function judgeWrites(journal: Journal, stored: Stored, demand: Demand): void {
  const byMarker = grouped(stored.rows, (row) => `${row.account_id} ${markerOf(row)}`)
  for (const intent of journal.intents)
    judgeIntent(intent, byMarker.get(`${intent.account} ${intent.marker}`) ?? [], demand)
  judgeStrangers(journal, stored.rows, demand)
  const decisions = grouped(journal.decisions, (one) => `${one.account} ${one.marker}`)
  const isRuled = ruledIn(stored)
  for (const row of stored.rows.filter(isOfAgent)) {
    const tried = decisions.get(`${row.account_id} ${markerOf(row)}`) ?? []
    judgeDecisions(row, { tried, isRuled: isRuled(row) }, demand)
  }
  judgeChanges(journal, stored, demand)
  judgeSeen(journal, stored.rows, demand)
  judgeChecks(journal, stored, demand)
}

/** Calls of runners and mandates have rules of their own. */
export const isOfAgent = ({ kind }: Row): boolean => kind !== 'runner_tool' && kind !== 'mandate'

export const markerOf = (row: Row): string =>
  /mark-\d+-end/.exec(`${row.rationale} ${JSON.stringify(row.payload)}`)?.[0] ?? ''

/** All attempts carry one key: at most one row, the one that was answered, and none where each was refused. */
function judgeIntent(intent: Intent, rows: Row[], demand: Demand): void {
  const { attempts, marker, kind } = intent
  const done = attempts.filter(({ outcome }) => outcome === 'ok')
  const mayBe = done.length > 0 || attempts.some(({ outcome }) => outcome === 'unknown')
  demand(rows.length <= 1, 'a proposal under one key is one row', () => [marker, rows.map(({ id }) => id)])
  demand(mayBe || rows.length === 0, 'a refused proposal leaves no row', () => [marker, attempts, rows])
  for (const { body } of done) {
    const row = rows.find(({ id }) => id === body.id)
    demand(row !== undefined, 'an acknowledged proposal is stored', () => [marker, body.id, rows])
    if (!row) continue
    // A repeat reads what its member made of it.
    const { payload } = body.edited_by_member ? row : (row.former ?? row)
    const isSame = row.kind === kind && isDeepStrictEqual(payload, body.payload)
    demand(isSame, 'what is stored is what was answered', () => [marker, body, row])
    const mayBecome = body.status === 'proposed' || body.status === row.status
    demand(mayBecome, 'a row that was denied stays denied', () => [marker, body.status, row.status])
  }
}

function judgeStrangers({ intents, passed }: Journal, rows: Row[], demand: Demand): void {
  const known = new Set([...intents, ...passed].map(({ account, marker }) => `${account} ${marker}`))
  for (const row of rows.filter(isOfAgent))
    demand(known.has(`${row.account_id} ${markerOf(row)}`), 'every row was asked for', () => row)
}

/** One of all decisions wins: one that was acknowledged, or else one whose answer was lost. */
function judgeDecisions(
  row: Row,
  { tried, isRuled }: { tried: Decision[]; isRuled: boolean },
  demand: Demand,
): void {
  const name = [row.account_id, row.id]
  for (const one of tried.filter(({ reply }) => reply.outcome === 'ok'))
    // What somebody agreed to beside others: see `judgeApprovals`.
    if (!isRuled || !isAgreed(one)) judgeAcknowledged(row, one, demand)
  if (row.decision !== 'confirm' && row.decision !== 'cancel') return
  // Its debit says who allowed it: see `judgeMandates`.
  if (row.mandate_id !== null) return
  const mayHave = tried.some(
    ({ verb, via, by, reply, isSigned }) =>
      verb === row.decision &&
      // The consent that counts is the own one; anybody whose approval counts may decline.
      (verb === 'cancel' || isOwn(row, by)) &&
      reply.outcome !== 'refused' &&
      isChannel(row.consent_channel, via) &&
      (row.consent_strength !== 'passkey' || isSigned === true),
  )
  demand(mayHave, 'every decision was made by somebody, over the channel that it names', () => [
    name,
    row.decision,
    row.consent_channel,
    tried,
  ])
}

/** A consent or an approval of an action that goes on waiting for others. */
const isAgreed = ({ verb, via, reply: { body } }: Decision) =>
  verb === 'confirm' && (via !== 'agent' || (body.status === 'proposed' && !body.execution))

export const isOwn = (row: Row, by: string | undefined) => by === undefined || by === row.member_id

const isChannel = (stored: string | null, via: Decision['via']) =>
  via === 'agent' ? stored === 'api' || stored === 'mcp' : stored === via

function judgeAcknowledged(row: Row, { verb, via, reply }: Decision, demand: Demand): void {
  const name = [row.account_id, row.id, verb, via]
  if (via !== 'agent') return judgePage(row, verb, reply.body.title, demand)
  const { body, status } = reply
  demand(body.id === row.id, 'an answer is about the row that was decided', () => [name, body.id])
  if (verb === 'cancel') {
    demand(row.status === 'cancelled' && row.decision === 'cancel', 'an acknowledged cancel stands', () => [
      name,
      row,
    ])
    return
  }
  if (body.consent_request) return
  const isRunning = body.status === 'proposed'
  demand(!isRunning || status === 202 || body.execution, 'an answer without an end says so', () => [
    name,
    body,
  ])
  if (isRunning) {
    demand(row.decision === 'confirm' || row.status === 'denied', 'an acknowledged confirm stands', () => [
      name,
      row,
    ])
    return
  }
  const isSame = body.status === row.status && isDeepStrictEqual(shownResult(body), row.result)
  demand(isSame, 'an answer with an end is the end', () => [name, body, row])
}

/** The page after a press names the outcome in its title. */
function judgePage(row: Row, verb: Decision['verb'], title: string | undefined, demand: Demand): void {
  const isConfirmed = row.decision === 'confirm' || row.status === 'denied'
  const holds = verb === 'confirm' ? isConfirmed : row.decision === 'cancel'
  demand(holds, 'a decision that a page acknowledged stands', () => [
    row.account_id,
    row.id,
    verb,
    title,
    row,
  ])
}

function judgeChanges({ changes }: Journal, { entries }: Stored, demand: Demand): void {
  const times = grouped(entries, ({ event_id }) => event_id)
  for (const { eventId, outcome, what, entry, mayChangeNothing } of changes) {
    const noted = times.get(eventId) ?? []
    const name = () => [entry, what, outcome, noted]
    demand(noted.length <= 1, 'a change by an administrator is made once', name)
    if (outcome === 'ok' && !mayChangeNothing)
      demand(noted.length === 1, 'an acknowledged change by an administrator is stored', name)
    if (outcome === 'refused')
      demand(noted.length === 0, 'a refused change by an administrator was not made', name)
  }
}

/** Demands that a row that has ended does not change any more. */
function judgeSeen({ seen }: Journal, rows: Row[], demand: Demand): void {
  const byId = new Map(rows.map((row) => [`${row.account_id} ${row.id}`, row]))
  for (const { account, id, body } of seen) {
    const row = byId.get(`${account} ${id}`)
    demand(row !== undefined, 'a row that was read is stored', () => [account, id])
    if (!row || body.status === 'proposed') continue
    const isSame = body.status === row.status && isDeepStrictEqual(shownResult(body), row.result)
    demand(isSame, 'a row that has ended does not change', () => [account, id, body, row])
  }
}

/** Checks carry no mark of their own: they are counted. */
function judgeChecks({ checks }: Journal, stored: Stored, demand: Demand): void {
  for (const [account, tried] of grouped(checks, (one) => one.account)) {
    const done = tried.filter(({ outcome }) => outcome === 'ok').length
    const perhaps = tried.filter(({ outcome }) => outcome === 'unknown').length
    const rows = stored.checks.get(account) ?? 0
    demand(rows >= done && rows <= done + perhaps, 'a check that was answered is one row', () => [
      account,
      { rows, done, perhaps },
    ])
  }
}

/** Whether others must approve an action, by the entry of its proposal. */
export function ruledIn({ entries }: Stored): (row: Row) => boolean {
  const ruled = new Set(
    entries
      .filter(({ kind, data }) => kind === 'proposed' && data['approvals'] !== undefined)
      .map((one) => `${one.account_id} ${one.action_id}`),
  )
  return ({ account_id, id }) => ruled.has(`${account_id} ${id}`)
}

export function grouped<T>(list: readonly T[], nameOf: (one: T) => string): Map<string, T[]> {
  const groups = new Map<string, T[]>()
  for (const one of list) {
    const name = nameOf(one)
    const group = groups.get(name)
    if (group) group.push(one)
    else groups.set(name, [one])
  }
  return groups
}
