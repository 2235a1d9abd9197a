import { type FailingCalls, listFailing, takeFailing } from '../../db/queries/actions/open-actions.ts'
import type { Deps } from '../../deps.ts'
import { failingWords } from '../../gate/result-words.ts'
import { limits } from '../../limits.ts'
import type { AccountContext } from '../admin-context.ts'
import { notifyAdmins } from '../integrations/notify-admins.ts'

export { type FailingCalls }

/** The executors and providers of an account whose calls for running actions fail. */
export const listFailingOf = ({ db, account }: AccountContext): Promise<FailingCalls[]> =>
  listFailing(db, account)

/**
 * Tells the administrators by mail what has been failing for a while: once for each executor and provider, until it has been fine
 * for a day. @returns how many accounts and targets they were told of
 */
export async function notifyOfFailing(deps: Deps): Promise<number> {
  const taken = await takeFailing(deps.db, limits.failingNoticeMs)
  for (const failing of taken) {
    const { account_id: account, target } = failing
    deps.log.warn(
      { account, target, since: failing.failing_since, code: failing.code },
      'calls of running actions fail',
    )
    notifyAdmins(deps, {
      account,
      exceptAdmin: null,
      what: 'mail about failing calls',
      notice: {
        subject: `Calls of ${target} fail`,
        text: [
          `${failingWords(failing)}.`,
          'Actions that were approved are not done yet. The gate repeats their calls. An executor is called for 24 hours; what is not done by then ends as refused or unknown.',
          'Check that the service runs and can be reached from the gate. You get no further mail about it today.',
        ].join('\n\n'),
        link: { label: 'Open the console', url: `${deps.publicUrl()}/console` },
      },
    })
  }
  return taken.length
}
