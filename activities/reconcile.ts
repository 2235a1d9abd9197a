import { claimDecision } from '../src/db/queries/decide.ts'
import { forgetConsentTokens } from '../src/db/queries/consent.ts'
import { forgetConnectLinks } from '../src/db/queries/connect-links.ts'
import { forgetKeys, listExpired, listOpen } from '../src/db/queries/open-actions.ts'
import { listAccounts } from '../src/db/queries/accounts.ts'
import { type Deps } from '../src/deps.ts'
import { limits } from '../src/limits.ts'
import { expiryOf } from '../src/operations/expiry.ts'
import { proposalInput } from '../src/temporal/relay.ts'

/** Mends what was left over: the last healer, behind the inline path and the relay. */
export function reconcileActivities(deps: Deps) {
  return {
    /** Closes what is past its expiry, revives workflows of rows that should have moved, forgets old keys, links and requests. */
    async reconcile(): Promise<{ expired: number; revived: number }> {
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
      await forgetConsentTokens(deps.db, limits.consentTokensForgetRows)
      await forgetConnectLinks(deps.db, limits.connectLinksForgetRows)
      for (const account of await listAccounts(deps.db)) {
        await forgetKeys(deps.db, account.account_id, limits.idempotencyForgetRows)
      }
      return { expired: expired.length, revived }
    },
  }
}
