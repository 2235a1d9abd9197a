import { email, line, slackId, slug } from '../operations/entered-fields.ts'
import { limits } from '../limits.ts'
import { optional, required } from './verb.ts'

// Options that several nouns share.

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
