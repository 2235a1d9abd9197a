import type { System } from '../system/system.ts'
import type { Journal } from '../workload/journal.ts'
import { toolNeeds } from '../workload/policies.ts'
import type { Demand, Row, Stored } from './record.ts'
import { grouped, markerOf } from './writes.ts'

/** Tools of the MCP server behind the gate: called as their rule says, at most once, and only for a row. */
export function judgeNotes(
  { notes: { calls } }: System,
  journal: Journal,
  { rows: all }: Stored,
  demand: Demand,
): void {
  const rows = all.filter(({ kind }) => kind === 'upstream_tool')
  const byMarker = new Map(rows.map((row) => [markerOf(row), row]))
  const times = grouped(calls, ({ text }) => text)
  for (const [text, each] of times) {
    const row = byMarker.get(text)
    const name = () => [each, row]
    demand(each.length === 1, 'no tool is called twice', name)
    demand(row !== undefined, 'a tool is called only for a row', name)
    const { tool } = each[0]!
    demand(
      !row || row.payload['tool'] === tool,
      'the tool that is called is the one that was asked for',
      name,
    )
    const need = toolNeeds[tool as keyof typeof toolNeeds]
    demand(need !== 'deny', 'a denied tool is never called', name)
    if (typeof need === 'object')
      demand(row?.decision === 'confirm', 'a tool that needs a consent is called only with one', name)
  }
  for (const row of rows) judgeDone(row, (times.get(markerOf(row)) ?? []).length, demand)
  judgePassed(journal, byMarker, times, demand)
  judgeAnswers(journal, rows, demand)
}

function judgeDone(row: Row, done: number, demand: Demand): void {
  const name = () => [row, done]
  if (row.status === 'executed' && row.result!['outcome'] === 'done')
    return demand(done === 1, 'what a tool is told to have done was done exactly once', name)
  if (row.status === 'executed')
    return demand(row.result!['outcome'] === 'unknown', 'what a tool perhaps did is told as unknown', name)
  const mayHave = row.status === 'proposed' && row.decision === 'confirm'
  demand(mayHave || done === 0, 'no tool did what was not executed', name)
}

/** The answers to calls that asked nobody. */
function judgePassed(
  { passed }: Journal,
  byMarker: ReadonlyMap<string, Row>,
  times: ReadonlyMap<string, unknown[]>,
  demand: Demand,
): void {
  for (const one of passed) {
    const { marker, reply } = one
    const row = byMarker.get(marker)
    const name = () => [one, row]
    if (reply.outcome === 'refused') demand(!times.has(marker), 'a call that was refused was not made', name)
    if (reply.outcome !== 'ok') continue
    if (reply.body.status === 'denied') {
      demand(row?.status === 'denied', 'a denied call is recorded as denied', name)
      continue
    }
    demand(row?.status === 'executed', 'a call that was passed on is recorded', name)
    demand(reply.body.noted === marker && times.has(marker), 'what a tool answered is passed on', name)
  }
}

/** Demands that a read action shows what its tool answered to the call. */
function judgeAnswers({ seen }: Journal, rows: readonly Row[], demand: Demand): void {
  const byId = new Map(rows.map((row) => [`${row.account_id} ${row.id}`, row]))
  for (const { account, id, body } of seen) {
    const row = byId.get(`${account} ${id}`)
    if (!row?.requires_confirmation || body.result?.outcome !== 'done' || body.result.is_error) continue
    const text = String(body.result.tool_result?.content?.[0]?.text)
    demand(text.includes(markerOf(row)), 'what a tool answered is what callers read', () => [body, row])
  }
}
