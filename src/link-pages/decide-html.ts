import type { LinkedDecision } from '../operations/decisions/decide-by-link.ts'
import { type DecidedRow, outcomeSentence } from '../operations/decisions/outcome-sentence.ts'
import { cardHtml } from '../web/card-html.ts'
import { type Page, html } from '../web/html.ts'
import { prose } from '../web/prose.ts'

/** The page of a decision link: the card, and a button for each answer. */
export function decidePage({ card, shown, isSandbox }: LinkedDecision & { isSandbox: boolean }): Page {
  return {
    status: 200,
    title: 'Approval request',
    body: html`${isSandbox ? sandboxNotice : ''}
      <p>An agent requests this for you. Nothing is executed before you decide.</p>
      ${cardHtml(card)}
      <form method="post">
        <input type="hidden" name="shown" value="${shown}" />
        <button type="submit" name="does" value="confirm">Approve</button>
        <button type="submit" name="does" value="decline" class="second">Decline</button>
      </form>
      <p><small>Approving runs this immediately, exactly as shown. This cannot be undone.</small></p>`,
  }
}

/** The last page: the outcome. */
export function decidedPage(row: DecidedRow): Page {
  const isRunning = row.status === 'proposed'
  return {
    status: isRunning ? 202 : 200,
    title: titleOf[row.status],
    body: html`<p>${prose(outcomeSentence(row))}</p>
      <p>You can close this page.</p>`,
  }
}

/** A page that says why there is nothing to decide and what to do. */
export function undecidedPage(status: number, sentence: string, title?: string): Page {
  return {
    status,
    title: title ?? problemTitleOf[status] ?? 'No decision recorded',
    body: html`<p class="problem" role="alert">${prose(sentence)}</p>
      <p><a href="/console/proposals">Open your proposals in the console</a></p>`,
  }
}

const titleOf: Record<DecidedRow['status'], string> = {
  executed: 'Approved',
  proposed: 'Approved',
  cancelled: 'Nothing was executed',
  denied: 'Denied',
}
const problemTitleOf: Partial<Record<number, string>> = { 404: 'Link not found' }

const sandboxNotice = html`<p class="notice">
  Sandbox: nothing is delivered and no money moves. A decision here proves nothing.
</p>`
