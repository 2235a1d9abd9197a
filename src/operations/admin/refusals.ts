import { brokenConstraint, sqlState } from '../../db/connect.ts'
import { type ErrorCode, GateError } from '../../errors.ts'

/** The refusal that an error of the database stands for; undefined where it is none that a person could mend. */
export function toRefusal(error: unknown): GateError | undefined {
  if (error instanceof GateError) return error
  const found = ofConstraint[brokenConstraint(error) ?? ''] ?? ofState[sqlState(error) ?? '']
  return found && new GateError(...found)
}

const ofConstraint: Record<string, [ErrorCode, string]> = {
  member_email_key: ['conflict', 'Another member of this account has that e-mail.'],
  member_slack_key: ['conflict', 'Another member of this account has that Slack identity.'],
  curriculum_pkey: ['conflict', 'This account has a curriculum with that slug.'],
  conversation_pkey: ['conflict', 'This account has a conversation with that id.'],
  conversation_folder_key: [
    'conflict',
    'This account has a conversation whose id differs from that in case alone, and their folders could be one: choose another id.',
  ],
}

const ofState: Record<string, [ErrorCode, string]> = {
  P0002: ['not_found', 'There is no such account.'],
}
