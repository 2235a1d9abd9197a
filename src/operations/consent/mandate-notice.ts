import { type MandateRow, readDebits } from '../../db/queries/actions/mandates.ts'
import type { Deps } from '../../deps.ts'
import { leftOf } from '../../gate/mandates/outside.ts'
import { nearlySpentPercent, reachedBy } from '../../gate/mandates/spending.ts'
import type { MandateTerms } from '../../gate/mandates/terms.ts'
import { amounts, times, worstCase } from '../../gate/mandates/words.ts'
import { publicLink } from '../../network/public-link.ts'
import type { Notice } from '../../providers/ports.ts'
import { mailNotice } from '../mail-notice.ts'

/**
 * Tells a member by mail that a mandate of theirs is nearly spent, or spent, where this use of it is the one that made it so. In the
 * background, by the service's own mail: the use stands, whatever becomes of the notice.
 * @param actionId  what was confirmed by it; null: a tool call, which is taken for the newest use
 */
export function tellOfUse(
  deps: Deps,
  { action: { account_id: account, id, uuid, payload } }: Pick<MandateRow, 'action'>,
  { actionId, email }: { actionId: number | null; email: string | null },
): void {
  const { ownEmail: channel } = deps
  if (!channel || email === null) return
  const what = 'mail about a mandate'
  deps.background.start('due', what, async () => {
    const terms = payload as unknown as MandateTerms
    const debits = await readDebits(deps.db, account, id)
    const at = actionId === null ? debits.length : debits.findIndex((one) => one.action_id === actionId) + 1
    const used = debits.slice(0, at)
    const reached = reachedBy(used, terms)
    if (reached === undefined) return
    const cents: Record<string, number> = {}
    for (const { currency, cents: spent } of used)
      if (currency !== null) cents[currency] = (cents[currency] ?? 0) + spent!
    const left = leftOf(terms, { uses: used.length, uses_today: 0, cents, cents_today: {} })
    const notice = spendingNotice(reached, { id, terms, left, url: publicLink(deps, '/console/mandates') })
    await mailNotice(deps, { channel, key: `mandate_${uuid}_${reached}`, address: email, notice, what })
  })
}

function spendingNotice(
  reached: 'spent' | 'nearly_spent',
  {
    id,
    terms,
    left,
    url,
  }: {
    id: number
    terms: MandateTerms
    left: { uses: number; cents: Record<string, number> }
    url: string
  },
): Notice {
  const [how, then] =
    reached === 'spent'
      ? ['is spent', 'You are asked about each action again.']
      : [
          `is spent to ${nearlySpentPercent} %`,
          `Left: ${[times(left.uses), amounts(left.cents)].filter((part) => part !== '').join(', ')}.`,
        ]
  return {
    subject: `Your mandate #${id} ${how}`,
    text: `Your mandate #${id} for ${worstCase(terms)} ${how}. ${then}\n\nIf you did not expect this, freeze it now, and tell an administrator.`,
    link: { label: 'Mandates', url },
  }
}
