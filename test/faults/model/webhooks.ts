import { isDeepStrictEqual } from 'node:util'
import type { System } from '../system/system.ts'
import type { Journal } from '../workload/journal.ts'
import { isOfWebhook } from '../workload/own-kinds.ts'
import { shownResult } from './answers.ts'
import type { Demand, Row, Stored } from './record.ts'
import { grouped, markerOf } from './writes.ts'

/** Calls of the executor: only with a consent, of what was consented to, under one id, and done at most once. */
export function judgeWebhooks(
  { executor: { received, effects } }: System,
  journal: Journal,
  { rows, entries }: Stored,
  demand: Demand,
): void {
  const byUuid = new Map(rows.map((row) => [row.uuid, row]))
  const confirmed = new Set(
    entries.filter(({ kind }) => kind === 'confirmed').map((one) => `${one.account_id} ${one.action_id}`),
  )
  for (const { id, isSigned, data } of received) {
    const row = byUuid.get(data['uuid'])
    const name = () => [id, data, row]
    demand(isSigned, 'a call of an executor is signed', name)
    const isConsented = row?.decision === 'confirm' && confirmed.has(`${row.account_id} ${row.id}`)
    demand(isConsented, 'an executor is called only with a consent', name)
    demand(id === `${data['uuid']}.call`, 'an executor is called under the id of the action', name)
    demand(isOf(data, row), 'an executor receives what was consented to', name)
  }
  for (const [id, calls] of grouped(received, (call) => call.id))
    demand(new Set(calls.map(({ body }) => body)).size === 1, 'a repeated call is the same call', () => [
      id,
      calls.map(({ body }) => body),
    ])
  const done = grouped(effects, ({ version }) => version)
  for (const [version, each] of done)
    demand(each.length === 1, 'no executor does anything twice', () => [version, each])
  for (const row of rows.filter(({ kind }) => isOfWebhook(kind)))
    judgeDone(row, (done.get(markerOf(row)) ?? []).length, demand)
  judgeAnswers(journal, byUuid, demand)
}

function isOf(data: Record<string, unknown>, row: Row | undefined): boolean {
  const { account, action, kind, payload, digest } = data
  return isDeepStrictEqual(
    { account, action, kind, payload, digest },
    row && {
      account: row.account_id,
      action: row.id,
      kind: row.kind,
      payload: row.payload,
      digest: row.digest,
    },
  )
}

function judgeDone(row: Row, done: number, demand: Demand): void {
  const name = () => [row.account_id, row.id, row.status, row.decision, row.result, done]
  if (row.status === 'executed' && row.result!['outcome'] === 'done')
    return demand(done === 1, 'what an executor is told to have done was done exactly once', name)
  if (row.status === 'executed')
    return demand(
      row.result!['outcome'] === 'unknown',
      'what an executor perhaps did is told as unknown',
      name,
    )
  const mayHave = row.status === 'proposed' && row.decision === 'confirm'
  demand(mayHave || done === 0, 'no executor did what was not executed', name)
}

/** Demands that the answer of an executor stands beside the action that was read. */
function judgeAnswers({ seen }: Journal, byUuid: ReadonlyMap<string, Row>, demand: Demand): void {
  const byId = new Map([...byUuid.values()].map((row) => [`${row.account_id} ${row.id}`, row]))
  for (const { account, id, body } of seen) {
    const row = byId.get(`${account} ${id}`)
    if (!row || !isOfWebhook(row.kind) || body.result?.outcome !== 'done') continue
    const isSame = isDeepStrictEqual(body.result.result, { deployed: markerOf(row) })
    demand(isSame, 'what an executor answered is what callers read', () => [body, shownResult(body)])
  }
}
