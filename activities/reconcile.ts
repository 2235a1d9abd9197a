import { claimDecision } from '../src/db/queries/actions/decide.ts'
import { forgetConsentTokens } from '../src/db/queries/actions/consent.ts'
import { forgetConnectLinks } from '../src/db/queries/integrations/connect-links.ts'
import { forgetSignIns } from '../src/db/queries/accounts/sign-ins.ts'
import { forgetKeys, listExpired, listOpen } from '../src/db/queries/actions/open-actions.ts'
import { listAccounts } from '../src/db/queries/accounts/accounts.ts'
import type { Deps } from '../src/deps.ts'
import { limits } from '../src/limits.ts'
import { expiryOf } from '../src/operations/decisions/expiry.ts'
import { proposalInput } from '../src/temporal/relay.ts'
import { mendPreviews } from './mend-previews.ts'

/** Mends what was left over: the last healer, behind the inline path and the relay. */
export function reconcileActivities(deps: Deps) {
  return {
    /** Closes what is past its expiry, revives workflows of rows that should have moved, mends previews, forgets what is long over. */
    async reconcile(): Promise<{ expired: number; revived: number; previews: number }> {
      const expired = await listExpired(deps.db, limits.reconcileRowsMax)
      for (const row of expired) {
        const { action, outcome } = await claimDecision(
          deps.db,
          expiryOf({ account: row.account_id, id: row.action_id, uuid: row.uuid }),
        )
        if (outcome === 'claimed') deps.log.info({ account: row.account_id, action: action.id }, 'expired')
      }
      const left = await listOpen(deps.db, {
        limitRows: limits.reconcileRowsMax,
        overdueMs: limits.outboxOverdueMs,
        unendedMs: limits.claimUnendedMs,
        all: false,
        after: null,
      })
      let revived = 0
      for (const open of left) {
        const done = await deps.workflows.revive(
          proposalInput(open),
          open.wake === 'start' ? null : open.wake,
        )
        if (done === 'restarted') revived++
        await deps.starter.settle({ uuid: open.uuid, wake: open.wake })
      }
      const previews = await mendPreviews(deps)
      await forgetConsentTokens(deps.db, limits.consentTokensForgetRows)
      await forgetConnectLinks(deps.db, limits.connectLinksForgetRows)
      await forgetSignIns(deps.db, limits.sessionIdleMs, limits.signInsForgetRows)
      for (const account of await listAccounts(deps.db)) {
        await forgetKeys(deps.db, account.account_id, limits.idempotencyForgetRows)
      }
      return { expired: expired.length, revived, previews }
    },
  }
}
