import { randomUUID } from 'node:crypto'
import { forgetSignIns } from '../src/db/queries/accounts/sign-ins.ts'
import { listAccounts } from '../src/db/queries/accounts/accounts.ts'
import { forgetConsentTokens } from '../src/db/queries/actions/consent.ts'
import { claimDecision } from '../src/db/queries/actions/decide.ts'
import { type OpenAction, forgetKeys, listExpired, listOpen } from '../src/db/queries/actions/open-actions.ts'
import { forgetConnectLinks } from '../src/db/queries/integrations/connect-links.ts'
import type { Deps } from '../src/deps.ts'
import { limits } from '../src/limits.ts'
import { expiryOf } from '../src/operations/decisions/expiry.ts'
import { proposalInput } from '../src/temporal/relay.ts'
import { type Place, mendEach, pagesFrom, passBounds } from './mend-each.ts'
import { repairPreviews } from './repair-previews.ts'

/** What a pass has done. `failed`: could not be mended now; the next pass tries them again. */
export interface Reconciled {
  expired: number
  revived: number
  previews: number
  failed: number
}

/** Mends what was left over: the last healer, behind the inline path and the relay. */
export function reconcileActivities(deps: Deps, bounds = passBounds) {
  // Every process begins elsewhere, so that no row waits for the pass of one of them.
  const [expiredPlace, openPlace] = [{ after: randomUUID() }, { after: randomUUID() }]
  const accountPlace = { after: '' }
  return {
    /**
     * Closes what is past its expiry, revives workflows of rows that should have moved, mends previews, forgets what is
     * long over. A row that fails keeps none of the others from its turn.
     */
    async reconcile(): Promise<Reconciled> {
      const expired = await mendEach(deps.log, expiredRows(deps, expiredPlace), bounds)
      const left = openRows(deps, openPlace)
      const open = await mendEach(deps.log, left, bounds)
      const previews = await repairPreviews(deps, bounds)
      const forgotten = await mendEach(deps.log, tablesToForget(deps), bounds)
      const accounts = await mendEach(deps.log, accountsToForget(deps, accountPlace), bounds)
      return {
        expired: expired.tried - expired.failed,
        revived: left.revived(),
        previews: previews.tried,
        failed: [expired, open, previews, forgotten, accounts].reduce((sum, part) => sum + part.failed, 0),
      }
    },
  }
}

function expiredRows(deps: Deps, place: Place) {
  type Row = Awaited<ReturnType<typeof listExpired>>[number]
  return {
    what: 'proposals past their expiry',
    pages: pagesFrom<Row>(
      place,
      ({ uuid }) => uuid,
      (after) => listExpired(deps.db, { limitRows: limits.reconcileRowsMax, after }),
    ),
    async mend({ account_id: account, action_id: id, uuid }: Row) {
      place.after = uuid
      const { action, outcome } = await claimDecision(deps.db, expiryOf({ account, id, uuid }))
      if (outcome === 'claimed') deps.log.info({ account, action: action.id }, 'expired')
    },
  }
}

function openRows(deps: Deps, place: Place) {
  let revived = 0
  return {
    what: 'open proposals and running actions',
    pages: pagesFrom<OpenAction>(
      place,
      ({ uuid }) => uuid,
      (after) =>
        listOpen(deps.db, {
          limitRows: limits.reconcileRowsMax,
          overdueMs: limits.outboxOverdueMs,
          unendedMs: limits.claimUnendedMs,
          all: false,
          after,
        }),
    ),
    async mend(open: OpenAction) {
      place.after = open.uuid
      const done = await deps.workflows.revive(proposalInput(open), open.wake === 'start' ? null : open.wake)
      if (done === 'restarted') revived++
      await deps.starter.settle({ uuid: open.uuid, wake: open.wake })
    },
    revived: () => revived,
  }
}

function tablesToForget({ db }: Deps) {
  const forget = [
    () => forgetConsentTokens(db, limits.consentTokensForgetRows),
    () => forgetConnectLinks(db, limits.connectLinksForgetRows),
    () => forgetSignIns(db, limits.sessionIdleMs, limits.signInsForgetRows),
  ]
  return {
    what: 'links and sessions to forget',
    pages: onePage(async () => forget),
    mend: (one: () => Promise<unknown>) => one(),
  }
}

function accountsToForget({ db }: Deps, place: Place) {
  return {
    what: 'accounts with idempotency keys to forget',
    pages: onePage(async () => {
      const ids = (await listAccounts(db)).map(({ account_id: id }) => id).toSorted()
      const next = ids.findIndex((id) => id > place.after)
      return next < 0 ? ids : [...ids.slice(next), ...ids.slice(0, next)]
    }),
    async mend(account: string) {
      place.after = account
      await forgetKeys(db, account, limits.idempotencyForgetRows)
    },
  }
}

async function* onePage<Row>(read: () => Promise<Row[]>): AsyncGenerator<Row[]> {
  yield await read()
}
