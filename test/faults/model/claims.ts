import { isDeepStrictEqual } from 'node:util'
import type { ClaimMade, Journal } from '../workload/journal.ts'
import { declaredKinds } from '../workload/own-kinds.ts'
import { shownResult } from './answers.ts'
import type { Demand, Row, Stored, StoredClaim } from './record.ts'
import { grouped } from './writes.ts'

const nameOf = (one: { account: string; id: number }) => `${one.account} ${one.id}`

/** Claims: each consented action goes to one executor, once, and ends as that one reported. */
export function judgeClaims({ claims }: Journal, stored: Stored, demand: Demand): void {
  const rows = new Map(stored.rows.map((row) => [`${row.account_id} ${row.id}`, row]))
  const kept = new Map(stored.claims.map((one) => [`${one.account_id} ${one.action_id}`, one]))
  const order = orderOf(stored)
  const made = grouped(claims, nameOf)
  for (const [name, each] of made) {
    const given = each.filter(({ reply }) => reply.outcome === 'ok')
    demand(given.length <= 1, 'an action is given to one executor', () => given)
    for (const one of given) {
      const { confirmed = Infinity, claimed = -Infinity } = order.get(name) ?? {}
      demand(confirmed < claimed, 'a claim is given only after a consent', () => [one, order.get(name)])
      judgeGiven(one, rows.get(name), kept.get(name), demand)
    }
  }
  for (const row of stored.rows.filter(({ kind }) => kind === declaredKinds.claim)) {
    const name = `${row.account_id} ${row.id}`
    const { claims: times = 0 } = order.get(name) ?? {}
    demand(times <= 1, 'an action is claimed once', () => [row, times])
    judgeEnd(row, kept.get(name), made.get(name) ?? [], demand)
  }
}

/** Where in its ledger an action was confirmed and claimed, and how often it was claimed. */
function orderOf({ entries }: Stored) {
  const order = new Map<string, { confirmed?: number; claimed?: number; claims?: number }>()
  for (const { account_id: account, action_id: id, kind, seq } of entries) {
    if (kind !== 'confirmed' && kind !== 'action_claimed') continue
    const name = `${account} ${id}`
    const now = order.get(name) ?? {}
    if (kind === 'confirmed') order.set(name, { ...now, confirmed: seq })
    else order.set(name, { ...now, claimed: seq, claims: (now.claims ?? 0) + 1 })
  }
  return order
}

/** What an executor was given, and what it was answered to its report. */
function judgeGiven(
  made: ClaimMade,
  row: Row | undefined,
  kept: StoredClaim | undefined,
  demand: Demand,
): void {
  const name = () => [made, row, kept]
  demand(kept !== undefined && kept.state !== 'unclaimed', 'an acknowledged claim is stored', name)
  const { body } = made.reply
  const isSame = body.kind === row?.kind && isDeepStrictEqual(body.payload, row?.payload)
  demand(isSame, 'what a claim gives is what was consented to', name)
  for (const { outcome, result, reply } of made.reports.filter((one) => one.reply.outcome === 'ok')) {
    const isStored =
      kept?.state === 'reported' && kept.outcome === outcome && isDeepStrictEqual(kept.result, result)
    demand(isStored, 'an acknowledged report is stored', name)
    if (reply.body.status === 'proposed') continue
    const isEnd =
      reply.body.status === row?.status && isDeepStrictEqual(shownResult(reply.body), row?.result ?? null)
    demand(isEnd, 'what a report is answered is the end', name)
  }
}

/** Demands that an action ends by what is stored of its claim. */
function judgeEnd(row: Row, kept: StoredClaim | undefined, made: ClaimMade[], demand: Demand): void {
  const name = () => [row, kept, made]
  if (row.status === 'proposed') return
  demand(kept?.state !== 'held', 'every lease ends', name)
  if (kept?.state === 'reported') {
    const isTheirs = made.some(
      ({ reply, reports }) =>
        reply.outcome === 'ok' &&
        reports.some((one) => one.outcome === kept.outcome && one.reply.outcome !== 'refused'),
    )
    demand(isTheirs, 'every report was made by the executor that claimed', name)
  }
  if (row.decision !== 'confirm' || row.status === 'denied')
    return demand(kept === undefined, 'nothing is claimed without a consent', name)
  const mapped = kept && ends[kept.outcome ?? kept.state]
  const isAsReported =
    mapped !== undefined && row.status === mapped[0] && row.result?.['outcome'] === mapped[1]
  demand(isAsReported, 'a claimed action ends as it was reported', name)
}

/** Status and outcome, by what was reported, or else by the state of a claim that nobody reported. */
const ends: Record<string, [status: string, outcome: string] | undefined> = {
  done: ['executed', 'done'],
  refused: ['cancelled', 'refused'],
  failed: ['executed', 'partial'],
  unknown: ['executed', 'unknown'],
  lapsed: ['executed', 'unknown'],
  unclaimed: ['cancelled', 'refused'],
}
