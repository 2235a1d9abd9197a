import type { System } from '../system/system.ts'
import type { Journal } from '../workload/journal.ts'
import { judgeEffects } from './effects.ts'
import { judgeLedgers } from './ledger.ts'
import { type Violation, court, readStored } from './record.ts'
import { judgeTools } from './tools.ts'
import { judgeWrites } from './writes.ts'

/** What does not hold at the end, when everything has healed and come to rest. */
export async function judge(system: System, journal: Journal): Promise<Violation[]> {
  const { violations, demand } = court()
  const stored = await readStored(system)
  for (const row of stored.rows)
    demand(row.status !== 'proposed' || row.decision !== 'confirm', 'every claim ends', () => row)
  judgeWrites(journal, stored, demand)
  judgeEffects(system, stored, demand)
  judgeTools(journal, stored, demand)
  judgeLedgers(stored, demand)
  await judgeByCommand(system, stored.rows, demand)
  return [...journal.oddities, ...violations]
}

/** The product's own verification, by the command line. */
async function judgeByCommand(
  { service }: System,
  rows: { account_id: string }[],
  demand: ReturnType<typeof court>['demand'],
): Promise<void> {
  for (const account of new Set(rows.map(({ account_id }) => account_id))) {
    const verdict = await service
      .gate('ledger', 'verify', '--account', account)
      .catch((error: { stdout?: string; message: string }) => ({
        ok: false,
        why: error.stdout ?? error.message,
      }))
    demand(verdict.ok === true, '`gate ledger verify` says yes', () => [account, verdict])
  }
}
