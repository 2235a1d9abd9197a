import { createHash } from 'node:crypto'
import { type Receipt, canonical, verifyReceipt } from '#receipts'
import type { System } from '../system/system.ts'
import type { Journal } from '../workload/journal.ts'
import type { Demand, Entry, Row, Stored } from './record.ts'

/** A receipt as somebody got it beside an action. */
export interface ReceiptGiven {
  account: string
  id: number
  where: 'answer' | 'claim' | 'webhook'
  /** Undefined: there was none. */
  jws: string | undefined
}

/** The same, verified by the keys that the gate publishes. */
export interface ReceiptRead extends ReceiptGiven {
  claims?: Receipt
  /** Why it does not verify. */
  problem?: string
}

/** Reads all receipts that were given out, each as any other service would. */
export async function readReceipts(system: System, journal: Journal): Promise<ReceiptRead[]> {
  const given = receiptsGiven(system, journal)
  if (given.length === 0) return []
  const origin = system.service.urlOf('api')
  const answer = await fetch(`${origin}/.well-known/gate-receipts.json`)
  const jwks = (await answer.json()) as Parameters<typeof verifyReceipt>[1]['jwks']
  const verified = new Map<string, Pick<ReceiptRead, 'claims' | 'problem'>>()
  for (const { jws } of given) {
    if (jws === undefined || verified.has(jws)) continue
    verified.set(
      jws,
      await verifyReceipt(jws, { jwks, issuer: origin }).then(
        (claims) => ({ claims }),
        (error: unknown) => ({ problem: String(error) }),
      ),
    )
  }
  return given.map((one) => ({ ...one, ...(one.jws === undefined ? {} : verified.get(one.jws)) }))
}

function receiptsGiven({ executor }: System, { seen, decisions, claims }: Journal): ReceiptGiven[] {
  const answers = [
    ...seen.map(({ account, body }) => ({ account, body })),
    ...decisions.map(({ account, reply }) => ({ account, body: reply.body })),
    ...claims.flatMap(({ account, reports }) => reports.map(({ reply }) => ({ account, body: reply.body }))),
  ]
  return [
    ...answers
      .filter(({ body }) => body?.receipt !== undefined)
      .map(({ account, body }) => ({ account, id: body.id, where: 'answer' as const, jws: body.receipt })),
    ...claims
      .filter(({ reply }) => reply.outcome === 'ok')
      .map(({ account, id, reply }) => ({ account, id, where: 'claim' as const, jws: reply.body.receipt })),
    ...executor.received.map(({ data }) => ({
      account: data['account'],
      id: data['action'],
      where: 'webhook' as const,
      jws: data['receipt'],
    })),
  ]
}

/** Receipts: whoever executes has one, each verifies, and says what the row and the ledger say of the consent. */
export function judgeReceipts({ seen }: Journal, { rows, entries, receipts }: Stored, demand: Demand): void {
  const byId = new Map(rows.map((row) => [`${row.account_id} ${row.id}`, row]))
  const consents = new Map(
    entries
      .filter(({ kind }) => kind === 'confirmed')
      .map((one) => [`${one.account_id} ${one.action_id}`, one]),
  )
  for (const given of receipts) {
    const { account, id, where, jws, claims, problem } = given
    const name = () => [where, account, id, problem ?? claims, byId.get(`${account} ${id}`)]
    demand(jws !== undefined, 'who executes is given a receipt', name)
    demand(problem === undefined, 'a receipt verifies', name)
    if (!claims) continue
    const row = byId.get(`${account} ${id}`)
    demand(row !== undefined && isOfRow(claims, row), 'a receipt is of the action beside it', name)
    if (!row) continue
    demand(
      claims.payload_sha256 === sha256(canonical(row.payload)),
      'a receipt is of the payload that is stored',
      name,
    )
    const consent = consents.get(`${account} ${id}`)
    demand(
      consent !== undefined && isOfConsent(claims, row, consent),
      'a receipt says what the consent was',
      () => [name(), consent],
    )
  }
  for (const { account, id, body } of seen.filter(({ isLast }) => isLast)) {
    const row = byId.get(`${account} ${id}`)
    if (row?.status !== 'executed' || !row.requires_confirmation) continue
    demand(body.receipt !== undefined, 'an action that was consented to has a receipt', () => [row, body])
  }
}

const isOfRow = (claims: Receipt, row: Row): boolean =>
  claims.account === row.account_id &&
  claims.action === row.id &&
  claims.uuid === row.uuid &&
  claims.kind === row.kind &&
  claims.digest === row.digest

const isOfConsent = (claims: Receipt, row: Row, { event_id: event, data }: Entry): boolean =>
  claims.jti === event &&
  claims.sub === row.member_id &&
  claims.consent.strength === data['strength'] &&
  claims.consent.channel === data['channel'] &&
  claims.tier === data['tier'] &&
  claims.policy_version === data['policy_version']

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
