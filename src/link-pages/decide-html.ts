import type { LinkedDecision } from '../operations/decisions/decide-by-link.ts'
import type { RunningCall } from '../gate/result-words.ts'
import { type DecidedRow, type DoneKind, outcomeSentence } from '../operations/decisions/outcome-sentence.ts'
import { approvalPart } from '../web/approval-part.ts'
import { decisionForm } from '../web/decision-form.ts'
import { changedForm, editPart, changeFields } from '../web/edit-form.ts'
import { type RejectedForm, formProblem } from '../web/fields.ts'
import type { About } from '../consent/about.ts'
import { cardHtml, factList, isLong } from '../web/card-html.ts'
import { type Html, type Page, html } from '../web/html.ts'
import { scriptOf } from '../web/passkey-script.ts'
import { prose } from '../web/prose.ts'

interface DecidePage extends LinkedDecision {
  isSandbox: boolean
  /** What the member entered that cannot be. */
  rejected?: RejectedForm | undefined
  /** Approve was pressed below the beginning of a long text: all of it is shown, with what was entered. */
  unfolded?: { reason: string }
}

/** The page of a decision link: the card, with a button for each answer, and where the member may change it. */
export function decidePage({
  card,
  shown,
  passkey,
  fields,
  isSandbox,
  rejected,
  unfolded,
  approval,
}: DecidePage): Page {
  const editing = editPart(fields, rejected)
  const isFolded = !unfolded && isLong(card)
  const reason = unfolded?.reason
  return {
    status: rejected ? 422 : 200,
    title: 'Approval request',
    ...scriptOf(isFolded ? undefined : passkey),
    body: html`${isSandbox ? sandboxNotice : ''} ${formProblem(rejected)}
    ${approval ? approvalPart(approval) : ''}
    ${cardHtml(card, decisionForm({ hidden: { shown }, mayApprove: true, passkey, isFolded, editing, reason, approval }), { isFolded })}`,
  }
}

/** What the member makes of the proposal: nothing of it is stored before they approve it. */
export function changedPage({ card, shown, passkey, fields, isSandbox }: DecidePage, back: string): Page {
  const hidden = {
    shown,
    version: '2',
    ...changeFields(Object.fromEntries(fields.map(({ name, text }) => [name, text]))),
  }
  return {
    status: 200,
    title: 'Your changes',
    ...scriptOf(passkey),
    body: html`${isSandbox ? sandboxNotice : ''} ${cardHtml(card, changedForm({ hidden, back, passkey }))}`,
  }
}

/** The last page: the outcome, what it was about, and where the member finds what else waits. */
export function decidedPage(
  kind: DoneKind,
  row: DecidedRow,
  { about, call }: { about: About; call?: RunningCall | null | undefined },
): Page {
  const isRunning = row.status === 'proposed'
  return {
    status: isRunning ? 202 : 200,
    title: titleOf[row.status],
    body: html`<p>${prose(outcomeSentence(kind, row, call))}</p>
      ${aboutPart(about)}
      <p>
        <a href="${openProposalsPath}">See what else waits for your decision</a> in the console. You sign in
        by a link in your e-mail.
      </p>`,
  }
}

/** A page that says why there is nothing to decide and what to do. `about`: the action of the link, where it is known. */
export function undecidedPage(status: number, sentence: string, title?: string, about?: About): Page {
  return {
    status,
    title: title ?? problemTitleOf[status] ?? 'No decision recorded',
    body: html`<p class="problem" role="alert">${prose(sentence)}</p>
      ${about ? aboutPart(about) : ''}
      <p><a href="/console/proposals">Open your proposals in the console</a></p>`,
  }
}

/** What the link was about. It proves the mailbox for this one decision, so nothing here leads to the action. */
const aboutPart = ({ title, facts }: About): Html =>
  html`<section class="card" aria-label="What it was about">
    <h2>${title}</h2>
    ${factList(facts)}
  </section>`

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
