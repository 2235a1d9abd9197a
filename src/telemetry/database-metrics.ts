import type { Db } from '../db/connect.ts'
import { openSummary } from '../db/queries/actions/open-actions.ts'
import { readSealStatus } from '../db/queries/ledger/seals.ts'
import { withDeadline } from '../waiting/with-deadline.ts'
import type { Register } from './register.ts'
import { type MetricName, type MetricOfTable, metricTable } from './table.ts'

/** How long a scrape waits for the database, and for how long later ones use what it read. */
const databaseWaitMs = 2_000
const databaseKeptMs = 5_000
/** Accounts whose waiting entries are looked at. */
const sealAccountsMax = 200

const ofDatabase = Object.entries(metricTable as Record<string, MetricOfTable>).flatMap(([name, metric]) =>
  metric.isOfDatabase ? [name as MetricName] : [],
)

/**
 * Reads what only the database knows, by two statements, at most once in `databaseKeptMs` however many scrape. One that hangs is
 * waited for a moment, is not sent again before it ends, and its metrics are absent: an old value would hide the trouble.
 */
export function databaseMetrics(db: Db, register: Register): () => Promise<void> {
  let reading: Promise<() => void> | undefined
  const again = () => setTimeout(() => (reading = undefined), databaseKeptMs).unref()
  forget(register)
  return async () => {
    reading ??= readInto(db, register).finally(again)
    try {
      const tell = await withDeadline(databaseWaitMs, reading, () => new Error('the database is slow'))
      tell()
      register.set('gate_database_read_ok', 1)
    } catch {
      forget(register)
      register.set('gate_database_read_ok', 0)
    }
  }
}

function forget(register: Register): void {
  for (const name of ofDatabase) register.forget(name)
}

async function readInto(db: Db, register: Register): Promise<() => void> {
  const [open, seals] = await Promise.all([openSummary(db), readSealStatus(db, sealAccountsMax)])
  return () => {
    register.set('gate_open_proposals', open.open_proposals)
    register.set('gate_executing_actions', open.claims_without_end)
    register.set('gate_outbox_age_seconds', ageOf(open.oldest_due))
    register.set('gate_oldest_execution_seconds', ageOf(open.oldest_claim))
    register.set('gate_seal_epoch', seals.epoch ?? 0)
    register.set('gate_seal_wait_seconds', ageOf(seals.waiting_since))
  }
}

const ageOf = (since: Date | null): number =>
  since === null ? 0 : Math.max(0, (Date.now() - since.getTime()) / 1_000)
