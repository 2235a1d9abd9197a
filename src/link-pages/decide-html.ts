import type { LinkedDecision } from '../operations/decisions/decide-by-link.ts'
import type { RunningCall } from '../gate/result-words.ts'
import { type DecidedRow, type DoneKind, outcomeSentence } from '../operations/decisions/outcome-sentence.ts'
import { decisionForm } from '../web/decision-form.ts'
import { cardHtml } from '../web/card-html.ts'
import { type Page, html } from '../web/html.ts'
import { escapeInvisible } from '../text/escape-invisible.ts'
import { prose } from '../web/prose.ts'

/** The page of a decision link: the card, with a button for each answer. */
export function decidePage({ card, shown, isSandbox }: LinkedDecision & { isSandbox: boolean }): Page {
  return {
    status: 200,
    title: 'Approval request',
    body: html`${isSandbox ? sandboxNotice : ''}
    ${cardHtml(card, decisionForm({ hidden: { shown }, mayApprove: true }))}`,
  }
}

/**
 * The last page: the outcome, and where the member finds what else waits. Not its number: the link proves the mailbox for
 * this decision only.
 */
/** @param line  the action in a line, with what the agent wrote */
export function decidedPage(
  kind: DoneKind,
  row: DecidedRow,
  { line, call }: { line: string; call?: RunningCall | null | undefined },
): Page {
  const isRunning = row.status === 'proposed'
  return {
    status: isRunning ? 202 : 200,
    title: titleOf[row.status],
    body: html`<p><bdi>${escapeInvisible(line)}</bdi></p>
      <p>${prose(outcomeSentence(kind, row, call))}</p>
      <p>
        <a href="${openProposalsPath}">See what else waits for your decision</a> in the console. You sign in
        by a link in your e-mail.
      </p>`,
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

const openProposalsPath = '/console/proposals'

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
