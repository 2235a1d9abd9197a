import { brokenConstraint, sqlState } from '../../db/connect.ts'
import { type ErrorCode, GateError } from '../../errors.ts'

/** Translates a database error to one for the user; undefined where the user cannot correct it. */
export function toRefusal(error: unknown): GateError | undefined {
  if (error instanceof GateError) return error
  const found = ofConstraint[brokenConstraint(error) ?? ''] ?? ofState[sqlState(error) ?? '']
  return found && new GateError(...found)
}

const ofConstraint: Record<string, [ErrorCode, string]> = {
  member_email_key: ['conflict', 'Another member of this account already has this e-mail.'],
  member_slack_key: ['conflict', 'Another member of this account already has this Slack identity.'],
  curriculum_pkey: ['conflict', 'This account already has a curriculum with this slug.'],
  conversation_pkey: ['conflict', 'This account already has a conversation with this id.'],
  conversation_folder_key: [
    'conflict',
    'This account already has a conversation whose id differs only in upper and lower case. Their folders could collide. Choose another id.',
  ],
}

const ofState: Record<string, [ErrorCode, string]> = {
  P0002: ['not_found', 'Account not found.'],
}
