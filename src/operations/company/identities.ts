import { findAdmin } from '../../db/queries/accounts/admins.ts'
import {
  type IdentityRow,
  type LinkOutcome,
  linkIdentity as link,
  listIdentities as list,
  unlinkIdentity as unlink,
} from '../../db/queries/accounts/company.ts'
import { GateError } from '../../errors.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { limits } from '../../limits.ts'
import { type AccountContext, type AdminContext, writeOf } from '../admin-context.ts'
import { requireMember } from '../members/require-member.ts'

export type { IdentityRow }

/** Whom the company signs in as whom, newest first. */
export const listIdentities = ({ db, account }: AccountContext): Promise<IdentityRow[]> =>
  list(db, account, limits.companyIdentitiesShownMax)

/**
 * Says whom a subject of the provider signs in as: the member, the administrator or auditor of that mailbox. The member is told, and
 * decisions in such sessions count as the agent's word until the link settles.
 * @throws GateError `not_found`, `conflict`
 */
export async function linkIdentity(
  context: AdminContext,
  who: { subject: string; as: 'member' | 'administrator'; email: string },
): Promise<void> {
  const { db, account } = context
  const { subject, as, email } = who
  const memberId = as === 'member' ? (await requireMember(db, { account, email })).memberId : null
  const admin = as === 'member' ? undefined : await findAdmin(db, account, email)
  if (as !== 'member' && !admin)
    throw new GateError('not_found', `No administrator of ${account} has the e-mail ${email}.`, {
      param: 'email',
    })
  const outcome = await link(db, {
    ...writeOf(context),
    identityId: `idn_${randomBase62(16)}`,
    subject,
    memberId,
    adminId: admin?.admin_id ?? null,
  })
  if (outcome !== 'linked')
    throw new GateError(outcome === 'missing' ? 'not_found' : 'conflict', sentences[outcome])
}

const sentences: Record<Exclude<LinkOutcome, 'linked'>, string> = {
  not_set_up: 'This account has no sign-in with a company. Set it up first.',
  missing: 'This person is not active. Activate them first.',
  subject_taken: 'This subject already signs in as somebody else. Unlink it first.',
  person_taken: 'Another subject already signs in as this person. Unlink it first.',
}

/** Ends a link, and the sessions that it began. @throws GateError `not_found` */
export async function unlinkIdentity(context: AdminContext, identityId: string): Promise<void> {
  if (!(await unlink(context.db, { ...writeOf(context), identityId })))
    throw new GateError('not_found', 'This link was not found. It may have been ended already.')
}
