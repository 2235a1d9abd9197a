import { sqlState } from '../db/connect.ts'
import { toRefusal } from '../operations/refusal-of-error.ts'

/** The reason why a verb failed, as a sentence for stderr. */
export function errorSentence(error: unknown): string {
  return (
    toRefusal(error)?.message ??
    sentenceOfState[sqlState(error) ?? ''] ??
    (error instanceof Error ? error.message : String(error))
  )
}

const notMigrated =
  'The database is not migrated to this version, or this role has no rights in it. Run `gate migrate`.'
const sentenceOfState: Record<string, string> = {
  '3F000': notMigrated,
  '42883': notMigrated,
  '42P01': notMigrated,
  '42501': notMigrated,
}
