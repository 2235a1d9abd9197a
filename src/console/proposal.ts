import { z } from 'zod'
import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'
import { cancelAndClose } from '../operations/admin/cancel-action.ts'
import { line } from '../operations/admin/fields.ts'
import { type ShownAction, readShownAction } from '../operations/overview.ts'
import { type ActionRequest } from '../operations/schemas.ts'
import { type Part, html } from '../transports/html.ts'
import { type Visit, asAdmin, definePage, idIn } from './page.ts'
import { confirmation, facts, field, moment, problemOf, tierBadge } from './parts.ts'
import { decisionSection } from './proposal-decision.ts'
import { amountOf, kindName, proposalsPath, reachOf } from './proposals.ts'
import { rowId } from './row-id.ts'

/** One proposal: what would happen, to whom, who asked for it, and what can be decided. */
export const proposalPage = definePage({
  path: `${proposalsPath}/:id`,
  async show(visit) {
    const shown = await shownIn(visit)
    const { row } = shown
    return {
      title: titleOf(row),
      body: html`${facts(factsOf(shown))}
        <section aria-labelledby="what">
          <h2 id="what">What was proposed</h2>
          ${payloadOf(row)}
        </section>
        ${isOpen(row) ? decisionSection(visit, shown) : ''}
        ${
          visit.session.adminId === null
            ? ''
            : html`<p>
                <a href="/console/ledger/${row.id}">How it came about: its entries in the ledger</a>
              </p>`
        }
        ${
          isOpen(row) && visit.session.adminId !== null
            ? html`<section aria-labelledby="cancel">
                <h2 id="cancel">As an administrator</h2>
                <p>You cannot consent in the member's place. You may cancel it.</p>
                <p><a class="button" href="${proposalsPath}/${row.id}/cancel">Cancel this proposal</a></p>
              </section>`
            : ''
        }`,
    }
  },
})

/** Asks for the reason before an administrator cancels. */
export const cancelProposalPage = definePage({
  path: `${proposalsPath}/:id/cancel`,
  role: 'admin',
  form: z.strictObject({ reason: line(limits.reasonCharsMax) }),
  async show(visit, _query, again) {
    const shown = await shownIn(visit)
    const { row } = shown
    // What was decided meanwhile has nothing to be asked about: a form that was just refused says so itself.
    if (!isOpen(row) && !again) throw new GateError('conflict', `This proposal is ${stateOf(row)} already.`)
    return {
      title: `Cancel ${kindName(row.kind)} #${row.id}?`,
      body: html`${problemOf(again)}
        ${facts([
          ['By', row.member],
          ['Reach', reachOf(row)],
          ['Amount', amountOf(shown.weight)],
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
            again,
          }),
        })}`,
    }
  },
  async send(visit, { reason }) {
    const { row } = await shownIn(visit)
    await cancelAndClose(visit.deps, asAdmin(visit), row.id, reason)
    return { to: `${proposalsPath}/${row.id}`, said: 'action_cancelled' }
  },
})

async function shownIn(visit: Visit): Promise<ShownAction> {
  const id = Number(
    idIn(
      visit,
      'id',
      z.string().refine((text) => rowId.safeParse(text).success),
    ),
  )
  return readShownAction(visit.deps, visit.session, id)
}

const isOpen = (row: ActionRequest): boolean => row.status === 'proposed' && row.execution === undefined

const stateOf = (row: ActionRequest): string => (row.status === 'proposed' ? 'being executed' : row.status)

const titleOf = (row: ActionRequest): string => {
  const name = kindName(row.kind)
  return `${name.charAt(0).toUpperCase()}${name.slice(1)} #${row.id}`
}

function factsOf({ row, weight }: ShownAction): [string, Part][] {
  const { execution } = row
  return [
    ['State', isOpen(row) ? 'waits for its member' : stateOf(row)],
    ...(execution
      ? [['Progress', `${execution.delivered} done, ${execution.remaining} to go`] as [string, Part]]
      : []),
    ...(row.denial_reason === undefined ? [] : [['Why', row.denial_reason] as [string, Part]]),
    ...(row.closed_reason === undefined
      ? []
      : [['Closed by', closedBy[row.closed_reason]] as [string, Part]]),
    ['Proposed by', row.member],
    ['Their tier then', tierBadge(row.tier_at_request)],
    ['Proposed', moment(row.created_at)],
    ...(row.expires_at === undefined ? [] : [['Expires', moment(row.expires_at)] as [string, Part]]),
    ['Reach', reachOf(row)],
    ['Amount', amountOf(weight)],
    ...(row.digest === undefined ? [] : [['Digest', html`<code>${row.digest}</code>`] as [string, Part]]),
  ]
}

const closedBy: Record<NonNullable<ActionRequest['closed_reason']>, string> = {
  admin: 'an administrator',
  expired: 'its expiry',
  proposer: 'the member',
  refused: 'the provider, who refused it',
}

/** A message as it will be sent; anything else field by field. */
function payloadOf({ payload }: ActionRequest): Part {
  const { message, ...others } = payload
  const rest = Object.entries(others)
  return html`${typeof message === 'string' ? html`<p class="message">${message}</p>` : ''}
  ${
    rest.length === 0
      ? ''
      : facts(
          rest.map(([name, value]) => [
            kindName(name),
            typeof value === 'string' ? value : JSON.stringify(value),
          ]),
        )
  }`
}
