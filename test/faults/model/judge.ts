import { ledgerVerbs } from '../../../src/cli/nouns/ledger.ts'
import { verifyLedger } from '../../../src/ledger/verify.ts'
import type { System } from '../system/system.ts'
import type { Journal } from '../workload/journal.ts'
import { judgeApprovals } from './approvals.ts'
import { judgeClaims } from './claims.ts'
import { judgeEffects } from './effects.ts'
import { judgeEdits } from './edits.ts'
import { judgeLedgers } from './ledger.ts'
import { judgeMandates } from './mandates.ts'
import { judgeNotes } from './notes.ts'
import { judgeOffline } from './offline.ts'
import { judgeReceipts } from './receipts.ts'
import { type Demand, type Stored, readStored } from './record.ts'
import { judgeTools } from './tools.ts'
import { judgeWebhooks } from './webhooks.ts'
import { grouped, judgeWrites } from './writes.ts'

/** Demands what must hold at the end, when everything has healed and come to rest. */
export async function judge(system: System, journal: Journal, demand: Demand): Promise<Stored> {
  const stored = await readStored(system, journal)
  judgeAll(system, journal, stored, demand)
  for (const account of new Set(stored.entries.map(({ account_id }) => account_id))) {
    const verdict = await verifyLedger(system.service.db, account)
    demand(verdict?.ok === true, 'the ledger verifies', () => verdict)
  }
  return stored
}

export function judgeAll(system: System, journal: Journal, stored: Stored, demand: Demand): void {
  for (const row of stored.rows)
    demand(row.status !== 'proposed' || row.decision !== 'confirm', 'every claim ends', () => row)
  judgeWrites(journal, stored, demand)
  judgeEdits(journal, stored, demand)
  judgeEffects(system, stored, demand)
  judgeTools(journal, stored, demand)
  judgeWebhooks(system, journal, stored, demand)
  judgeClaims(journal, stored, demand)
  judgeNotes(system, journal, stored, demand)
  judgeMandates(journal, stored, demand)
  judgeApprovals(journal, stored, demand)
  judgeReceipts(journal, stored, demand)
  judgeLedgers(stored, demand)
}

/** The product's own verification, by the command line, of each chain and its seals; then that by the offline verifier. */
export async function judgeByCommand(
  system: System,
  scenes: readonly { account: string }[],
  demand: Demand,
): Promise<void> {
  const { service } = system
  const ask = (...args: string[]) =>
    service.gate(...args).catch((error: { stdout?: string; message: string }) => ({
      ok: false,
      why: error.stdout || error.message,
    }))
  if ('seal' in ledgerVerbs) {
    const sealed = await ask('ledger', 'seal')
    demand(sealed.ok !== false, '`gate ledger seal` seals', () => sealed)
  }
  for (const { account } of scenes) {
    const verdict = await ask('ledger', 'verify', '--account', account)
    demand(verdict.ok === true, '`gate ledger verify` says yes', () => [account, verdict])
  }
  await judgeOffline(system, scenes, demand)
}

/** What a run has met, so that one sees that it met enough. */
export function coverageOf({ rows, entries }: Stored): string {
  const ends = countsOf(rows, ({ kind, status, result }) => `${kind} ${result?.['outcome'] ?? status}`)
  const consents = countsOf(
    rows.filter(({ decision }) => decision === 'confirm'),
    ({ consent_strength }) => consent_strength ?? 'none',
  )
  const edited = rows.filter(({ former }) => former !== null).length
  const byMandate = rows.filter(({ mandate_id }) => mandate_id !== null).length
  const approvals = countsOf(
    entries.filter(({ kind }) => kind === 'approved'),
    ({ data }) => (data['for'] === undefined ? data['by'] : 'deputy'),
  )
  const answers = rows.filter(({ replaces }) => replaces !== null).length
  return `${entries.length} entries; ${ends}; confirmed by ${consents}; with changes ${edited}; in answer to a decline ${answers}; by mandate ${byMandate}; approved by ${approvals}`
}

function countsOf<T>(list: T[], nameOf: (one: T) => string): string {
  const counts = [...grouped(list, nameOf)].map(([name, each]) => `${name} ${each.length}`)
  return counts.toSorted().join(', ')
}
