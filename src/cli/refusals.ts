import { brokenConstraint, sqlState } from '../db/connect.ts'
import { GateError } from '../errors.ts'

/** Why a verb was refused, in a sentence for stderr. */
export function reasonOf(error: unknown): string {
  if (error instanceof GateError) return error.message
  const taken = sentenceOfConstraint[brokenConstraint(error) ?? '']
  return (
    taken ??
    sentenceOfState[sqlState(error) ?? ''] ??
    (error instanceof Error ? error.message : String(error))
  )
}

const sentenceOfConstraint: Record<string, string> = {
  member_email_key: 'Another member of this account has that e-mail.',
  member_slack_key: 'Another member of this account has that Slack identity.',
  curriculum_pkey: 'This account has a curriculum with that slug.',
  conversation_pkey: 'This account has a conversation with that id.',
  conversation_folder_key:
    'This account has a conversation whose id differs from that in case alone, and their folders could be one: choose another id.',
}

const notMigrated = 'The database is not migrated for this program, or not for this role: run `gate migrate`.'
const sentenceOfState: Record<string, string> = {
  P0002: 'There is no such account.',
  '3F000': notMigrated,
  '42883': notMigrated,
  '42P01': notMigrated,
  '42501': notMigrated,
}
