import { type EraseMemberOutcome, eraseMember as erase } from '../../db/queries/members/erase.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { type AdminContext, writeOf } from '../admin-context.ts'

/**
 * Erases a member's name and identities, and the words and inputs of their actions and tool calls. Rows and ledger entries stay, and say
 * `erased`. Repeating it changes nothing; one that was broken off goes on.
 * @param reason  recorded in the ledger: no name, no address
 * @throws GateError `not_found`, and `conflict` where something of theirs has not ended or still counts towards limits
 */
export async function eraseMember(context: AdminContext, memberId: string, reason: string): Promise<void> {
  for (;;) {
    const given = { ...writeOf(context), memberId, reason, limitRows: limits.rowsPerRead }
    const outcome = await erase(context.db, given)
    if (outcome === 'erased') return
    if (outcome === 'missing')
      throw new GateError('not_found', `Member ${memberId} was not found in this account.`)
    if (outcome !== 'more') throw new GateError('conflict', refusals[outcome])
  }
}

const refusals: Record<Exclude<EraseMemberOutcome, 'erased' | 'missing' | 'more'>, string> = {
  open: 'This member has actions that have not ended. Cancel them or wait until they are executed, then erase the member.',
  counting:
    'An amount that this member confirmed in the last 24 hours still counts towards limits. Erase the member later.',
}
