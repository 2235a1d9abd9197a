import { brokenConstraint, sqlState } from '../db/connect.ts'
import { type ErrorCode, GateError } from '../errors.ts'

/** Translates a database error to one for the user; undefined where the user cannot correct it. */
export function toRefusal(error: unknown): GateError | undefined {
  if (error instanceof GateError) return error
  const found = ofConstraint[brokenConstraint(error) ?? ''] ?? ofState[sqlState(error) ?? '']
  if (!found) return undefined
  const [code, sentence, param] = found
  return new GateError(code, sentence, { param })
}

/** `param`: the field, as forms and options name it. */
const ofConstraint: Record<string, [code: ErrorCode, sentence: string, param?: string]> = {
  member_email_key: ['conflict', 'Another member of this account already has this e-mail.', 'email'],
  member_slack_key: ['conflict', 'Another member of this account already has this Slack identity.', 'slack'],
  member_teams_key: ['conflict', 'Another member of this account already has this Teams identity.', 'teams'],
  member_erased_whole: ['conflict', 'This member was erased. Add a new member.'],
  member_group_name_key: ['conflict', 'Another group of this account already has this name.', 'name'],
  curriculum_pkey: ['conflict', 'This account already has a curriculum with this slug.', 'slug'],
  conversation_pkey: ['conflict', 'This account already has a conversation with this id.'],
  conversation_folder_key: [
    'conflict',
    'This account already has a conversation whose id differs only in upper and lower case. Their folders could collide. Choose another id.',
  ],
}

const ofState: typeof ofConstraint = {
  P0002: ['not_found', 'Account not found.'],
}
