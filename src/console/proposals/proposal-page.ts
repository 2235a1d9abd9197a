import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { cancelAndClose } from '../../operations/admin/cancel-action.ts'
import { line } from '../../operations/admin/fields.ts'
import { sayIfLost } from '../../operations/decisions/decide-as-member.ts'
import {
  type ShownProposal,
  decideInConsole,
  readProposal,
} from '../../operations/decisions/decide-in-console.ts'
import { type ShownAction, readShownAction } from '../../operations/proposals/overview.ts'
import type { ActionRequest } from '../../operations/schemas.ts'
import type { Session } from '../../operations/sign-in/session.ts'
import { type Part, html } from '../../web/html.ts'
import { type PageContext, asAdmin, definePage, isAdmin } from '../page.ts'
import { confirmation, facts, field, formProblem } from '../parts.ts'
import { decisionSection } from './decision-section.ts'
import { amountPart, kindName, proposalsPath, reachPart } from './list-page.ts'
import { rowIn } from '../row-id.ts'
import type { Flash } from '../flash.ts'
import { proposalFacts, isOpen, payloadPart, statusFacts, stateLabel } from './proposal-facts.ts'

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be as the page has it')

/** One proposal: the card that is decided on while it is open, then what became of it. Its member decides here. */
export const proposalPage = definePage({
  path: `${proposalsPath}/:id`,
  form: z.strictObject({
    does: z.enum(['confirm', 'decline'], 'must be one of the two buttons'),
    shown: hash,
    digest: hash,
  }),
  async show(context, _query, rejected) {
    const shown = await readProposal(context.deps, context.session, rowIn(context))
    const { row, open } = shown
    return {
      title: titleOf(row),
      body: html`${formProblem(rejected)} ${facts(statusFacts(shown))}
        ${
          open
            ? decisionSection(shown)
            : html`<section aria-labelledby="what">
                <h2 id="what">What was proposed</h2>
                ${payloadPart(row)}
              </section>`
        }
        <section aria-labelledby="about">
          <h2 id="about">About it</h2>
          ${facts(proposalFacts(shown))}
        </section>
        ${isAdmin(context.session) ? forAdmins(shown, context.session) : ''}`,
    }
  },
  async send(context, decision) {
    const id = rowIn(context)
    const row = await sayIfLost(decideInConsole(context.deps, context.session, id, decision))
    return { to: `${proposalsPath}/${id}`, flash: decisionFlash(row.status, decision.does) }
  },
})

const decisionFlash = (status: ActionRequest['status'], does: 'confirm' | 'decline'): Flash => {
  if (status === 'denied') return 'action_denied'
  return does === 'decline' ? 'action_declined' : 'action_approved'
}

const forAdmins = (shown: ShownProposal, session: Session): Part =>
  html`<section aria-labelledby="admin">
    <h2 id="admin">As an administrator</h2>
    ${
      shown.open
        ? html`<p>${mayCancel(shown, session)}</p>
            <p><a class="button" href="${proposalsPath}/${shown.row.id}/cancel">Cancel this proposal</a></p>`
        : ''
    }
    <p><a href="/console/ledger/${shown.row.id}">How it came about: its entries in the ledger</a></p>
  </section>`

function mayCancel({ isOwn, row }: ShownProposal, { address }: Session): string {
  if (isOwn) return 'You may also cancel it for the account.'
  return row.member.toLowerCase() === address.toLowerCase()
    ? 'You signed in by a link that was printed, as an administrator alone: sign in by a mail to decide as its member. You may cancel it.'
    : 'You cannot consent in the member’s place. You may cancel it.'
}

/** Asks for the reason before an administrator cancels. */
export const cancelProposalPage = definePage({
  path: `${proposalsPath}/:id/cancel`,
  role: 'admin',
  form: z.strictObject({ reason: line(limits.reasonCharsMax) }),
  async show(context, _query, rejected) {
    const shown = await shownIn(context)
    const { row } = shown
    // What was decided meanwhile has nothing to be asked about: a form that was just refused says so itself.
    if (!isOpen(row) && !rejected)
      throw new GateError('conflict', `This proposal is ${stateLabel(row)} already.`)
    return {
      title: `Cancel ${kindName(row.kind)} #${row.id}?`,
      body: html`${formProblem(rejected)}
        ${facts([
          ['By', row.member],
          ['Reach', reachPart(row)],
          ['Amount', amountPart(shown.weight)],
        ])}
        <p>
          Nothing of it happens then, and it cannot be opened again. The member and their agent see it as
          cancelled.
        </p>
        ${confirmation({
          button: 'Cancel the proposal',
          back: `${proposalsPath}/${row.id}`,
          fields: field({
            name: 'reason',
            label: 'Reason',
            hint: 'Kept in the ledger for ever: name nobody in it.',
            charsMax: limits.reasonCharsMax,
            rejected,
          }),
        })}`,
    }
  },
  async send(context, { reason }) {
    const { row } = await shownIn(context)
    await cancelAndClose(context.deps, asAdmin(context), row.id, reason)
    return { to: `${proposalsPath}/${row.id}`, flash: 'action_cancelled' }
  },
})

const shownIn = (context: PageContext): Promise<ShownAction> =>
  readShownAction(context.deps, context.session, rowIn(context))

const titleOf = (row: ActionRequest): string => {
  const name = kindName(row.kind)
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} #${row.id}`
}
