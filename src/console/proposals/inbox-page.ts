import { z } from 'zod'
import { limits } from '../../limits.ts'
import { readInbox } from '../../operations/decisions/inbox.ts'
import { readOpenProposals } from '../../operations/proposals/overview.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { connectPath } from '../connect/connect-path.ts'
import { optionally } from '../forms.ts'
import { type PageContext, definePage, readsAccount } from '../page.ts'
import { empty, formProblem, nextPage } from '../parts.ts'
import { rowId } from '../row-id.ts'
import { inboxScript } from '../scripts.ts'
import { decideSelected, decisionsForm } from './decide-selected.ts'
import { inboxPart } from './inbox-part.ts'
import { proposalTable, proposalsPath } from './list-page.ts'

/**
 * What waits for the member who is signed in, to decide about one or several; then for an administrator all open proposals of the
 * account, oldest first.
 */
export const proposalsPage = definePage({
  path: proposalsPath,
  query: z.strictObject({
    after: optionally(rowId),
    skip: optionally(rowId),
    select: z.literal('on', 'must be on').optional(),
  }),
  form: decisionsForm,
  async show(context, { after = 0, skip = 0, select }, rejected) {
    const { deps, session, lookedAt: since } = context
    const isMember = session.memberId !== null
    const [inbox, others] = await Promise.all([
      isMember ? readInbox(deps, session, { skipRows: skip, since }) : undefined,
      readsAccount(session) ? accountPart(context, after) : runningPart(context),
    ])
    return {
      title: 'Open proposals',
      refresh: select || rejected ? undefined : 'later',
      isLook: isMember,
      ...(isMember ? { script: inboxScript, asks: true } : {}),
      body: html`${formProblem(rejected)}
      ${inbox === undefined ? '' : inboxPart(inbox, { since, isSelecting: select === 'on' })} ${others}`,
    }
  },
  send: decideSelected,
})

async function accountPart({ deps, session }: PageContext, after: number): Promise<Html> {
  const found = await readOpenProposals(deps, session, {
    after,
    limitRows: limits.consoleRowsPerPage + 1,
  })
  const proposals = found.slice(0, limits.consoleRowsPerPage)
  const next = found.length > proposals.length ? proposals.at(-1)!.row.id : undefined
  return html`${session.memberId === null ? '' : html`<h2>All members</h2>`}
    <p>
      Actions that agents proposed and that wait for a decision. Only the member can decide; administrators
      can cancel.
    </p>
    ${
      proposals.length === 0
        ? empty(
            html`No open proposals. Agents create proposals over REST or MCP:
              <a href="${connectPath}">connect an agent</a>, or read the
              <a href="/llms.txt">instructions for agents</a>.`,
          )
        : proposalTable('Open proposals', proposals)
    }
    ${nextPage(next === undefined ? undefined : `${proposalsPath}?after=${next}`)}`
}

/** What a member approved and what still runs. */
async function runningPart({ deps, session }: PageContext): Promise<Part> {
  const open = await readOpenProposals(deps, session, {
    after: 0,
    limitRows: limits.consoleRowsPerPage,
    isNewestFirst: true,
  })
  const running = open.filter(({ row }) => row.execution)
  return running.length === 0
    ? ''
    : html`<h2>Running</h2>
        ${proposalTable('Running actions', running)}`
}
