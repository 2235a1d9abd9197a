import { randomUUID } from 'node:crypto'
import { forgetAppTokens, forgetApps } from '../src/db/queries/accounts/apps.ts'
import { forgetSignIns } from '../src/db/queries/accounts/sign-ins.ts'
import { listAccounts } from '../src/db/queries/accounts/accounts.ts'
import { forgetConsentTokens } from '../src/db/queries/actions/consent.ts'
import { type OverdueAction, forgetKeys, listOpen } from '../src/db/queries/actions/open-actions.ts'
import { forgetConnectLinks } from '../src/db/queries/integrations/connect-links.ts'
import { forgetReceiptKeys } from '../src/db/queries/receipts/receipt-keys.ts'
import { forgetRecipients } from '../src/db/queries/members/roster.ts'
import { noteToolCounts } from '../src/db/queries/runner/tool-calls.ts'
import type { Deps } from '../src/deps.ts'
import { limits } from '../src/limits.ts'
import { notifyOfFailing } from '../src/operations/maintenance/failing-calls.ts'
import { overlapMs } from '../src/receipts/key-set.ts'
import { workflowInput } from '../src/temporal/names.ts'
import { type ResumePoint, repairEach, pagesFrom, passBounds } from './repair-each.ts'
import { repairPreviews } from './repair-previews.ts'

/** The result of a pass. `failed`: could not be repaired now; the next pass retries them. */
export interface Reconciled {
  revived: number
  previews: number
  failed: number
}

/** Repairs what the inline path and the outbox relay left behind. */
export function reconcileActivities(deps: Deps, bounds = passBounds) {
  // Each process starts at a random row, so that no row depends on one process.
  const openFrom = { after: randomUUID() }
  const accountsFrom = { after: '' }
  return {
    /**
     * Restarts the workflows of actions that should have moved, repairs previews, and deletes
     * old tokens, sessions, keys of receipts, apps and their tokens, idempotency keys and recipient sets. A row that fails does not stop the others.
     */
    async reconcile(): Promise<Reconciled> {
      const left = openRows(deps, openFrom)
      const open = await repairEach(deps.log, left, bounds)
      const previews = await repairPreviews(deps, bounds)
      const notices = await repairEach(deps.log, failingToTell(deps), bounds)
      const forgotten = await repairEach(deps.log, tablesToClean(deps), bounds)
      const accounts = await repairEach(deps.log, accountsToClean(deps, accountsFrom), bounds)
      return {
        revived: left.revived(),
        previews: previews.tried,
        failed: [open, previews, notices, forgotten, accounts].reduce((sum, part) => sum + part.failed, 0),
      }
    },
  }
}

function openRows(deps: Deps, from: ResumePoint) {
  let revived = 0
  return {
    what: 'open proposals and running actions',
    pages: pagesFrom<OverdueAction>(
      from,
      ({ uuid }) => uuid,
      (after) =>
        listOpen(deps.db, {
          limitRows: limits.reconcileRowsMax,
          all: false,
          after,
        }),
    ),
    async repair(open: OverdueAction) {
      from.after = open.uuid
      const done = await deps.workflows.revive(
        workflowInput(open),
        open.wake === 'start' ? null : open.wake,
        open.is_stalled,
      )
      if (done === 'restarted') revived++
      await deps.starter.settle({ uuid: open.uuid, wake: open.wake, dueAt: open.due_at })
    },
    revived: () => revived,
  }
}

const failingToTell = (deps: Deps) => ({
  what: 'mails about failing calls',
  pages: onePage(async () => [notifyOfFailing]),
  repair: (tell: typeof notifyOfFailing) => tell(deps),
})

function tablesToClean({ db }: Deps) {
  const cleanUps = [
    () => forgetConsentTokens(db, limits.consentTokensForgetRows),
    () => forgetConnectLinks(db, limits.connectLinksForgetRows),
    () => forgetSignIns(db, limits.sessionIdleMs, limits.signInsForgetRows),
    () => forgetReceiptKeys(db, overlapMs),
    () => forgetApps(db, limits.appRegistrationsKeptMs, limits.appsForgetRows),
  ]
  return {
    what: 'old links, sessions, keys of receipts and apps',
    pages: onePage(async () => cleanUps),
    repair: (one: () => Promise<unknown>) => one(),
  }
}

function accountsToClean({ db }: Deps, from: ResumePoint) {
  return {
    what: 'old idempotency keys, recipients and tokens of apps, and counts of tool calls',
    pages: onePage(async () => {
      const ids = (await listAccounts(db)).map(({ account_id: id }) => id).toSorted()
      const next = ids.findIndex((id) => id > from.after)
      return next < 0 ? ids : [...ids.slice(next), ...ids.slice(0, next)]
    }),
    async repair(account: string) {
      from.after = account
      await inSteps(limits.idempotencyForgetRows, (rows) => forgetKeys(db, account, rows))
      await inSteps(limits.recipientSetsForgetRows, (rows) => forgetRecipients(db, account, rows))
      await inSteps(limits.appsForgetRows, (rows) =>
        forgetAppTokens(db, account, limits.appTokensKeptMs, rows),
      )
      let isMore = true
      for (let done = 0; isMore && done < limits.toolCountRoundsMax; done++)
        isMore = await noteToolCounts(db, account)
    },
  }
}

/** Forgets old rows, so many a statement, until there are no more or the next pass may go on. */
async function inSteps(limitRows: number, forget: (limitRows: number) => Promise<number>): Promise<void> {
  for (let step = 0; step < limits.forgetStepsMax; step++) if ((await forget(limitRows)) < limitRows) return
}

async function* onePage<Row>(read: () => Promise<Row[]>): AsyncGenerator<Row[]> {
  yield await read()
}
