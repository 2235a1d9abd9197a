import { z } from 'zod'
import { type MemberRow, findMember } from '../../db/queries/members/members.ts'
import { GateError } from '../../errors.ts'
import { tierSources, tiers } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { memberNameOf } from '../actions/member-name.ts'
import { email, line, slackId } from '../entered-fields.ts'
import type { AccountContext } from '../admin-context.ts'
import { requireAccount } from '../require-account.ts'

// Fields that several verbs of administration have.

/** A member in a path, query or body. */
export const member = z
  .string()
  .min(1, 'must not be empty')
  .max(limits.identityCharsMax)
  .meta({ description: 'Member id, e-mail address or `slack:U…`.' })

/** The member that a call names, active or not. @throws GateError `not_found` */
export async function memberOf({ db, account }: AccountContext, named: string): Promise<MemberRow> {
  const found = await findMember(db, account, memberNameOf(named))
  if (found) return found
  await requireAccount(db, account)
  throw new GateError('not_found', 'No member of this account has this identity. Check `member`.', {
    param: 'member',
  })
}

/** The names of members in a list, as `requireMemberIds` takes them. */
export const memberNames = z
  .array(
    z.union([email.transform((text) => ({ email: text })), slackId.transform((text) => ({ slack: text }))]),
  )
  .max(limits.keyActorsMax)

export const page = {
  limit: z
    .int('must be a whole number')
    .min(1, 'must be at least 1')
    .max(limits.rowsPerRead, `must be at most ${limits.rowsPerRead}`)
    .default(limits.pageRowsDefault),
  after: z
    .string()
    .max(limits.identityCharsMax)
    .default('')
    .meta({ description: '`next_after` of the page before.' }),
}

export const reason = line(limits.reasonCharsMax).meta({ description: 'Why, for the ledger entry.' })
export const time = z.iso.datetime({ offset: true, error: 'must be an ISO 8601 time' })
export const isDryRun = z.boolean('must be true or false').default(false).meta({
  description: 'Only show what would be done.',
})

export const AdminMember = z.object({
  member_id: z.string(),
  name: z.string(),
  email: z.string().nullable(),
  slack: z.string().nullable(),
  teams: z.string().nullable(),
  tier: z.enum(tiers),
  tier_source: z.enum(tierSources),
  active: z.boolean(),
})

/** An answer whose fields the documentation of its subject describes. */
export const Document = z.record(z.string(), z.unknown())
export const listOf = (name: string) => z.object({ [name]: z.array(Document) })
