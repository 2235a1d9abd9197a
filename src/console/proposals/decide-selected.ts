import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { sayIfLost } from '../../operations/decisions/decide-as-member.ts'
import { decideInConsole } from '../../operations/decisions/decide-in-console.ts'
import { type DecidedOne, type Selected, decideMany } from '../../operations/decisions/decide-many.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { prose } from '../../web/prose.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import type { PageContext, Redirect, View } from '../page.ts'
import { decisionFlash } from './decision-flash.ts'
import { proposalsPath } from './list-page.ts'

const selected = /^pick_([1-9]\d{0,14})$/
const cardForm = /^([0-9a-f]{64})\.([0-9a-f]{64})$/
const fromPage = 'must be the value from the page'

/**
 * The form of the list. `does` decides about all that are selected (`pick_17`, with the card and the digest that were shown), `only`
 * about one by its own button.
 */
export const decisionsForm = z
  .object({
    does: z.enum(['confirm', 'decline', 'nothing'], 'must be confirm or decline').optional(),
    only: z
      .string()
      .regex(/^(confirm|decline)\.[1-9]\d{0,14}\.[0-9a-f]{64}\.[0-9a-f]{64}$/, fromPage)
      .optional(),
  })
  .catchall(z.string().regex(cardForm, fromPage))
  .superRefine((fields, context) => {
    const keys = Object.keys(fields).filter(
      (name) => name !== 'does' && name !== 'only' && !selected.test(name),
    )
    if (keys.length > 0) context.addIssue({ code: 'unrecognized_keys', keys, input: fields })
  })

type Decisions = z.output<typeof decisionsForm>

/** Handles the form of the list. @throws GateError `invalid` where nothing, or too much, is selected */
export async function decideSelected(context: PageContext, form: Decisions): Promise<Redirect | View> {
  const { does, only, ...picks } = form
  if (only !== undefined) return decideAlone(context, only)
  const chosen = Object.entries(picks).map(([name, value]) => selectedOf(name, value as string))
  if (does === undefined || does === 'nothing' || chosen.length === 0)
    throw new GateError(
      'invalid',
      'Select at least one proposal, then press Approve selected or Decline selected.',
    )
  if (chosen.length > limits.inboxRowsMax)
    throw new GateError('invalid', `Select at most ${limits.inboxRowsMax} proposals.`)
  const { deps, session } = context
  return decidedView(await decideMany(deps, session, { does, selected: chosen }))
}

function selectedOf(name: string, value: string): Selected {
  const [, shown, digest] = cardForm.exec(value)!
  return { id: Number(selected.exec(name)![1]), shown: shown!, digest: digest! }
}

async function decideAlone({ deps, session }: PageContext, only: string): Promise<Redirect> {
  const [does, id, shown, digest] = only.split('.') as ['confirm' | 'decline', string, string, string]
  const row = await sayIfLost(decideInConsole(deps, session, Number(id), { does, shown, digest }))
  return { to: proposalsPath, flash: decisionFlash(row.status, does) }
}

/** The outcome for each. Those that are still open come first: somebody must decide them. */
function decidedView(decided: DecidedOne[]): View {
  const undecided = decided.filter(({ outcome }) => outcome === 'open' || outcome === 'unknown')
  const count = decided.length - undecided.length
  return {
    title: `Decided: ${count} of ${decided.length}`,
    once: { to: proposalsPath },
    body: html`<ul class="outcomes">
        ${[...undecided, ...decided.filter((one) => !undecided.includes(one))].map(outcomePart)}
      </ul>
      <p><a class="button primary" href="${proposalsPath}">Back to open proposals</a></p>`,
  }
}

const outcomePart = ({ id, headline, outcome, reason }: DecidedOne): Html =>
  html`<li data-id="${id}" data-outcome="${outcome}">
    <p>
      <span class="badge ${badgeOf[outcome]}">${wordsOf[outcome]}</span>
      ${
        headline === undefined
          ? `#${id}`
          : html`<a href="${proposalsPath}/${id}"><bdi>${escapeInvisible(headline)}</bdi> #${id}</a>`
      }
    </p>
    ${reason === undefined ? '' : html`<p class="hint">${reasonPart(reason)}</p>`}
  </li>`

const reasonPart = (reason: string): Part => prose(reason)

const wordsOf: Record<DecidedOne['outcome'], string> = {
  approved: 'approved',
  declined: 'declined',
  denied: 'denied',
  open: 'not decided',
  unknown: 'outcome unknown',
}
const badgeOf: Record<DecidedOne['outcome'], string> = {
  approved: 'good',
  declined: 'over',
  denied: 'bad',
  open: 'warn',
  unknown: 'warn',
}
