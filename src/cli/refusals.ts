import { sqlState } from '../db/connect.ts'
import { toRefusal } from '../operations/admin/refusals.ts'

/** Why a verb was refused, in a sentence for stderr. */
export function reasonOf(error: unknown): string {
  return (
    toRefusal(error)?.message ??
    sentenceOfState[sqlState(error) ?? ''] ??
    (error instanceof Error ? error.message : String(error))
  )
}

const notMigrated = 'The database is not migrated for this program, or not for this role: run `gate migrate`.'
const sentenceOfState: Record<string, string> = {
  '3F000': notMigrated,
  '42883': notMigrated,
  '42P01': notMigrated,
  '42501': notMigrated,
}
