import { email, line, slackId, slug } from '../operations/admin/fields.ts'
import { accountId } from '../operations/ids.ts'
import { limits } from '../limits.ts'
import { type Option, optional, required } from './verb.ts'

// Options that several nouns share.

/** The account of a verb. If it is left out, it is filled in before the verb runs: see default-account.ts. */
export const account = optional(
  'ACCOUNT',
  accountId,
  'The account; if absent: GATE_ACCOUNT, or the only account',
  'acct_4kD0x9TqLmW2aBcE',
) as Option<string>

/** A member, by one of two identities; for `exactlyOne`. */
export const who = {
  email: optional('EMAIL', email, "The member's e-mail", 'ada@my.example'),
  slack: optional('SLACK_ID', slackId, "The member's Slack user ID", 'U024BE7LH'),
}

export const curriculum = required('SLUG', slug, 'Slug of the curriculum', 'safe-sending')

export const reason = required(
  'REASON',
  line(limits.reasonCharsMax),
  'Why, for the ledger entry',
  'wrong list',
)
