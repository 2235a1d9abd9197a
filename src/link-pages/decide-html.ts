import type { LinkedDecision } from '../operations/decisions/decide-by-link.ts'
import { type DecidedRow, outcomeSentence } from '../operations/decisions/outcome-sentence.ts'
import { cardHtml } from '../web/card-html.ts'
import { type Page, html } from '../web/html.ts'

/** The page of a decision link: the card, and a button for each answer. */
export function decidePage({ card, shown, isSandbox }: LinkedDecision & { isSandbox: boolean }): Page {
  return {
    status: 200,
    title: 'Your decision is needed',
    body: html`${isSandbox ? sandboxNotice : ''}
      <p>An agent that acts for you asks for this. Nothing is done before you decide.</p>
      ${cardHtml(card)}
      <form method="post">
        <input type="hidden" name="shown" value="${shown}" />
        <button type="submit" name="does" value="confirm">Approve</button>
        <button type="submit" name="does" value="decline" class="second">Decline</button>
      </form>
      <p><small>It is done at once when you approve, and exactly as shown. You can decide once.</small></p>`,
  }
}

/** The last page: what became of it. */
export function decidedPage(row: DecidedRow): Page {
  const isRunning = row.status === 'proposed'
  return {
    status: isRunning ? 202 : 200,
    title: titleOf[row.status],
    body: html`<p>${outcomeSentence(row)}</p>
      <p>You can close this page.</p>`,
  }
}

/** A page that says why there is nothing to decide, and what to do. */
export function undecidedPage(status: number, sentence: string, isLost = false): Page {
  return {
    status,
    title: isLost ? 'Outcome unknown' : (problemTitleOf[status] ?? 'Nothing was decided'),
    body: html`<p class="problem" role="alert">${sentence}</p>`,
  }
}

const titleOf: Record<DecidedRow['status'], string> = {
  executed: 'Approved',
  proposed: 'Approved',
  cancelled: 'Nothing was done',
  denied: 'Denied',
}
const problemTitleOf: Partial<Record<number, string>> = { 404: 'No such link', 410: 'This link is over' }

const sandboxNotice = html`<p class="notice">
  Sandbox: nothing is delivered and no money moves. A decision here proves nothing.
</p>`
