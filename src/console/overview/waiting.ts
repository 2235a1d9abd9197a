import { escapeInvisible } from '../../text/escape-invisible.ts'
import { limits } from '../../limits.ts'
import type { ShownAction } from '../../operations/actions/shown-action.ts'
import { readFirstWaiting } from '../../operations/decisions/inbox.ts'
import { readOpenProposals } from '../../operations/proposals/overview.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import type { PageContext } from '../page.ts'
import { ago, empty, nameOf } from '../parts.ts'
import { proposalsPath } from '../proposals/list-page.ts'
import { agentOf } from '../proposals/proposal-facts.ts'

/**
 * What waits for a decision, as cards. Of a member what expires first: only the member can decide it. An administrator who is no
 * member sees the newest of the account.
 */
export async function waitingSection({ deps, session }: PageContext): Promise<Html> {
  const isMember = session.memberId !== null
  const shownMax = limits.overviewCardsMax
  const { waiting, count, order } = isMember
    ? { ...(await readFirstWaiting(deps, session, shownMax)), order: 'first to expire' }
    : { ...(await newestOfAccount(deps, session)), order: 'newest' }
  const subject = isMember ? 'your decision' : 'a decision'
  const shown = waiting.slice(0, shownMax)
  return html`<section class="first" aria-labelledby="waiting">
    <h2 id="waiting">${waiting.length === 0 ? noneTitle(isMember) : `Waiting for ${subject}: ${count}`}</h2>
    ${
      shown.length === 0
        ? empty(
            isMember
              ? 'No open proposals. When an agent proposes something for you, it appears here until you decide.'
              : 'No open proposals. What agents propose appears here until its member decides.',
          )
        : html`<ul class="waiting">
            ${shown.map((one) => card(one, isMember))}
          </ul>`
    }
    ${
      count === shown.length
        ? ''
        : html`<p>
            ${shown.length === 0 ? '' : `The ${order} ${shown.length} of ${count}. `}<a
              href="${proposalsPath}"
              >All open proposals</a
            >
          </p>`
    }
  </section>`
}

/** What waits in the account, without what runs. `count` ends with a plus where there is more. */
async function newestOfAccount(
  deps: PageContext['deps'],
  session: PageContext['session'],
): Promise<{ waiting: ShownAction[]; count: number | string }> {
  const rowsMax = limits.consoleRowsPerPage
  const found = await readOpenProposals(deps, session, {
    after: 0,
    limitRows: rowsMax + 1,
    isNewestFirst: true,
  })
  const waiting = found.filter(({ row }) => row.execution === undefined)
  return { waiting, count: found.length > rowsMax ? `${rowsMax}+` : waiting.length }
}

const noneTitle = (isMember: boolean): string => (isMember ? 'Your proposals' : 'Open proposals')

function card({ row, title, headline }: ShownAction, isMember: boolean): Html {
  const requester = agentOf(row)
  const facts: Part[] = [
    title,
    ...(isMember ? [] : [html`for ${nameOf(row.member)}`]),
    ...(requester === undefined ? [] : [html`requested by ${requester}`]),
    ...(row.expires_at === undefined ? [] : [html`expires ${ago(row.expires_at)}`]),
  ]
  return html`<li>
    <div>
      <p class="headline" dir="auto"><bdi>${escapeInvisible(headline)}</bdi></p>
      <p class="about">${facts.map((fact, at) => html`${at === 0 ? '' : ' · '}<span>${fact}</span>`)}</p>
    </div>
    <a class="button primary" href="${proposalsPath}/${row.id}"
      >Review<span class="hidden"> ${title} #${row.id}</span></a
    >
  </li>`
}
