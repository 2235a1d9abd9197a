import { type Db, sqlState } from '../db/connect.ts'
import { OutcomeUnknown } from '../errors.ts'
import { databaseObstacle } from '../db/readiness.ts'
import { toRefusal } from '../operations/refusal-of-error.ts'

/** The reason why a verb failed, as a sentence for stderr. */
export function errorSentence(error: unknown): string {
  return (
    toRefusal(error)?.message ??
    sentenceOfState[sqlState(error) ?? ''] ??
    (error instanceof Error ? error.message : String(error))
  )
}

/**
 * What a verb fails with: where the database lacks what a statement names, that it is of another version.
 * @param db  that of the verb
 */
export async function trueReason(error: unknown, db: () => Db): Promise<unknown> {
  const state = sqlState(error) ?? sqlState((error as { cause?: unknown } | undefined)?.cause)
  if (state === undefined || !Object.hasOwn(sentenceOfState, state)) return error
  const obstacle = await databaseObstacle(db()).catch(() => null)
  if (obstacle === null) return error
  const isPerhapsDone = error instanceof OutcomeUnknown ? `${error.message} ` : ''
  return new Error(`${isPerhapsDone}This program cannot use the database: ${obstacle}.`)
}

const notMigrated =
  'The database is not migrated to this version, or this role has no rights in it. Run `gate migrate`.'
const sentenceOfState: Record<string, string> = {
  '3F000': notMigrated,
  '42703': notMigrated,
  '42883': notMigrated,
  '42P01': notMigrated,
  '42501': notMigrated,
}
