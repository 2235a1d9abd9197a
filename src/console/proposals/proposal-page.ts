import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { mandateKind } from '../../gate/mandates/terms.ts'
import { runnerMandateKind } from '../../gate/runner-calls/tool-call.ts'
import { limits } from '../../limits.ts'
import { cancelAndClose } from '../../operations/decisions/cancel-as-admin.ts'
import { line } from '../../operations/entered-fields.ts'
import { passkeyFields, signedOf } from '../../operations/decisions/ask-passkey.ts'
import { sayIfLost } from '../../operations/decisions/decide-as-member.ts'
import {
  type ShownProposal,
  decideInConsole,
  readEdited,
  readProposal,
} from '../../operations/decisions/decide-in-console.ts'
import { declineReason } from '../../operations/decisions/decline-reason.ts'
import type { ShownAction } from '../../operations/actions/shown-action.ts'
import { readOpenProposals, readShownAction } from '../../operations/proposals/overview.ts'
import type { ActionRequest } from '../../operations/schemas.ts'
import type { Session } from '../../operations/sign-in/session.ts'
import { type Part, html } from '../../web/html.ts'
import { scriptOf } from '../../web/passkey-script.ts'
import { type PageContext, type View, asAdmin, definePage, isAdmin, readsAccount } from '../page.ts'
import { confirmation, facts, field, formProblem } from '../parts.ts'
import { changeField, enteredChanges } from '../../web/edit-form.ts'
import { decisionFlash } from './decision-flash.ts'
import { type DecisionLook, changedSection, decisionSection, isFolded } from './decision-section.ts'
import { amountPart, proposalsPath, reachPart } from './list-page.ts'
import { receiptPart } from './receipt.ts'
import { mandatesPath } from '../mandates/mandate-parts.ts'
import { rowIn } from '../row-id.ts'
import type { Refresh } from '../refresh.ts'
import { proposalFacts, isOpen, payloadPart, statusFacts, stateLabel } from './proposal-facts.ts'

/** Further open proposals that the page of a decided one lists. */
const othersWaitingShownMax = 5

const formFields = ['does', 'shown', 'digest', 'version', 'reason', ...Object.keys(passkeyFields)]
const isFormField = (name: string): boolean => formFields.includes(name) || name.startsWith(changeField(''))

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be the value from the page')

/** One proposal: its card while it is open, then its outcome. Its member decides here. */
export const proposalPage = definePage({
  path: `${proposalsPath}/:id`,
  formBytesMax: limits.decisionFormBytesMax,
  form: z
    .object({
      does: z.enum(['confirm', 'decline', 'edit', 'unfold'], 'must be confirm, decline, edit or unfold'),
      shown: hash,
      digest: hash,
      version: z.enum(['1', '2'], 'must be 1 or 2').optional(),
      reason: declineReason,
      ...passkeyFields,
    })
    .catchall(z.string())
    .superRefine((form, context) => {
      const keys = Object.keys(form).filter((name) => !isFormField(name))
      if (keys.length > 0) context.addIssue({ code: 'unrecognized_keys', keys, input: form })
    }),
  fieldOf: (param, values) => (Object.hasOwn(values, changeField(param)) ? changeField(param) : undefined),
  show: (context, _query, rejected) => proposalView(context, { rejected }),
  async send(context, { does, version = '1', reason, ...sent }) {
    const id = rowIn(context)
    const { shown, digest, ...others } = sent
    const entered = enteredChanges(others as Record<string, string>)
    // A member who changed a field sees version 2 before they approve it, whichever button they press.
    if (does === 'edit' || does === 'unfold' || (does === 'confirm' && version === '1')) {
      const edited = await readEdited(context.deps, context.session, id, entered)
      if (edited)
        return {
          title: 'Your changes',
          ...scriptOf(edited.passkey),
          body: html`${changedSection(edited, `${proposalsPath}/${id}`)}`,
        }
    }
    if (does === 'unfold') return proposalView(context, { isUnfolded: true, reason })
    if (does === 'edit') throw new GateError('invalid', 'You changed nothing that can still be changed.')
    const changes = version === '1' ? {} : entered
    const passkey = signedOf(others as Record<string, string>)
    const decision = { does, shown, digest, reason, changes, passkey }
    const row = await sayIfLost(decideInConsole(context.deps, context.session, id, decision))
    return { to: `${proposalsPath}/${id}`, flash: decisionFlash(row.status, does) }
  },
})

async function proposalView(context: PageContext, look: DecisionLook): Promise<View> {
  const shown = await readProposal(context.deps, context.session, rowIn(context))
  const { row, open } = shown
  return {
    title: titleOf(shown),
    ...scriptOf(open && isFolded(open.card, look) ? undefined : open?.passkey),
    refresh: refreshOf(shown),
    body: html`${formProblem(look.rejected)}
      ${
        open
          ? html`${decisionSection(shown, look)} ${facts(statusFacts(shown))}`
          : html`${facts(statusFacts(shown))} ${await othersPart(context, shown)}
              <section aria-labelledby="what">
                <h2 id="what">Payload</h2>
                ${payloadPart(shown)}
              </section>`
      }
      <section aria-labelledby="about">
        <h2 id="about">Details</h2>
        ${facts(proposalFacts(shown))} ${receiptPart(row.id, shown)} ${mandateLink(row)}
      </section>
      ${readsAccount(context.session) ? forAdmins(shown, context.session) : ''}`,
  }
}

/** A form that somebody may be filling in is never loaded again. */
function refreshOf({ row, open, yours }: ShownProposal): Refresh | undefined {
  if (row.execution) return 'soon'
  return open && yours === 'nothing' ? 'later' : undefined
}

/** After a member's own decision: what else waits for them. */
async function othersPart({ deps, session }: PageContext, { isOwn }: ShownProposal): Promise<Part> {
  if (!isOwn) return ''
  const rowsMax = othersWaitingShownMax
  const open = await readOpenProposals(deps, session, { after: 0, limitRows: rowsMax + 1, own: true })
  const waiting = open.filter(({ row }) => row.execution === undefined)
  if (waiting.length === 0) return html`<p>Nothing else waits for your decision.</p>`
  return html`<section aria-labelledby="others">
    <h2 id="others">Also waiting for your decision</h2>
    <ul>
      ${waiting
        .slice(0, rowsMax)
        .map(
          ({ row, title, weight }) =>
            html`<li>
              <a href="${proposalsPath}/${row.id}">${titleOf({ row, title })}</a
              >${weight ? html`, ${amountPart(weight)}` : ''}
            </li>`,
        )}
    </ul>
    ${waiting.length > rowsMax ? html`<p><a href="${proposalsPath}">All open proposals</a></p>` : ''}
  </section>`
}

const mandateLink = ({ kind, status }: ActionRequest): Part =>
  (kind === runnerMandateKind || kind === mandateKind) && status === 'executed'
    ? html`<p><a href="${mandatesPath}">See or end the mandates in force</a></p>`
    : ''

const forAdmins = (shown: ShownProposal, session: Session): Part =>
  html`<section aria-labelledby="admin">
    <h2 id="admin">Administration</h2>
    ${
      shown.open && isAdmin(session)
        ? html`<p>${mayCancel(shown, session)}</p>
            <p><a class="button" href="${proposalsPath}/${shown.row.id}/cancel">Cancel proposal</a></p>`
        : ''
    }
    <p><a href="/console/ledger/${shown.row.id}">View timeline in the ledger</a></p>
  </section>`

function mayCancel({ isOwn, row }: ShownProposal, { address }: Session): string {
  if (isOwn) return 'As an administrator, you can also cancel it for the account.'
  return row.member.toLowerCase() === address.toLowerCase()
    ? 'You signed in with a printed link, as an administrator only. To decide as the member, sign in with an e-mail link. You can cancel the proposal.'
    : 'You cannot decide for the member. You can cancel the proposal.'
}

/** Asks for a reason before an administrator cancels. */
export const cancelProposalPage = definePage({
  path: `${proposalsPath}/:id/cancel`,
  role: 'admin',
  form: z.strictObject({ reason: line(limits.reasonCharsMax) }),
  async show(context, _query, rejected) {
    const shown = await shownIn(context)
    const { row } = shown
    // A proposal that was decided meanwhile cannot be cancelled; a refused form shows this above itself.
    if (!isOpen(row) && !rejected)
      throw new GateError('conflict', `This proposal is already ${stateLabel(row)}.`)
    return {
      title: `Cancel ${shown.title} #${row.id}?`,
      body: html`${formProblem(rejected)}
        ${facts([
          ['Member', row.member],
          ['Recipients', reachPart(row)],
          ['Amount', amountPart(shown.weight)],
        ])}
        <p>
          The action will not be executed. This cannot be undone. The member and their agent see the proposal
          as cancelled.
        </p>
        ${confirmation({
          button: 'Cancel proposal',
          back: `${proposalsPath}/${row.id}`,
          fields: field({
            name: 'reason',
            label: 'Reason',
            hint: 'Stored permanently in the ledger. Do not enter personal data.',
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

const titleOf = ({ row, title }: Pick<ShownAction, 'row' | 'title'>): string =>
  `${title.charAt(0).toUpperCase()}${title.slice(1)} #${row.id}`
