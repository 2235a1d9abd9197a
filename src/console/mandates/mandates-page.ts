import { z } from 'zod'
import { GateError } from '../../errors.ts'
import type { SuggestedMandate } from '../../gate/mandates/suggest.ts'
import { mandateKind } from '../../gate/mandates/terms.ts'
import { worstCase } from '../../gate/mandates/words.ts'
import type { Policy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import {
  type Mandate,
  endMandateNow,
  freezeMandateNow,
  mandateOf,
  mandatesOf,
} from '../../operations/mandates/mandates.ts'
import { nameOfSuggestion, suggestionsFor } from '../../operations/mandates/suggestions.ts'
import { mandateKinds } from '../../operations/policy/mandates-document.ts'
import { policyInForce } from '../../operations/policy/policy-in-force.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Part, html } from '../../web/html.ts'
import type { Flash } from '../flash.ts'
import { type PageContext, definePage, idIn, isAdmin, readsAccount } from '../page.ts'
import { ceilingPath } from '../policies/form-schema.ts'
import { confirmation, empty, facts, formProblem, moment, nameOf } from '../parts.ts'
import {
  boundedTable,
  ceilingsTable,
  commandsPart,
  commandsTable,
  folderOf,
  mandatesPath,
  newMandatePath,
  pinsOf,
  spentPart,
  termsPart,
  usesOf,
} from './mandate-parts.ts'

/** What members allowed in advance: an administrator sees all, a member their own. */
export const mandatesPage = definePage({
  path: mandatesPath,
  async show(context) {
    const { deps, session } = context
    const [mandates, ceilings, kinds] = await Promise.all([
      mandatesOf(deps.db, session),
      ceilingsOf(context),
      deps.kinds.now(session.account),
    ])
    const bounded = mandates.filter(({ action: { kind } }) => kind === mandateKind)
    const { account, memberId } = session
    const suggested = memberId === null ? [] : await suggestionsFor(deps, { account, memberId }, ceilings)
    const isNew = ({ terms: { agent, allows } }: SuggestedMandate) =>
      !bounded.some(
        ({ key_id: of, terms }) => of === agent && terms?.allows.some(({ kind }) => kind === allows[0]!.kind),
      )
    const ofRunners = mandates.filter(({ action: { kind } }) => kind !== mandateKind)
    const isOpen = Object.keys(ceilings).length > 0
    return {
      title: 'Mandates',
      body: html`<p>
          With a mandate, a member lets one agent act without asking each time, within limits, a budget and a
          time. Everything outside it is asked about as before.
        </p>
        ${session.memberId !== null && isOpen ? html`<p><a class="button" href="${newMandatePath}">New mandate</a></p>` : ''}
        ${mandates.length === 0 ? empty('No mandates are in force.') : ''}
        ${bounded.length === 0 ? '' : boundedTable(bounded)}
        ${ofRunners.length === 0 ? '' : commandsTable(ofRunners)}
        ${
          mandates.length < limits.mandatesShownMax
            ? ''
            : html`<p class="hint">Only the newest ${limits.mandatesShownMax} are listed.</p>`
        }
        ${suggestedSection(suggested.filter(isNew))}
        ${readsAccount(session) || isOpen ? ceilingsSection(ceilings, isAdmin(session) ? mandateKinds(kinds.values()) : []) : ''}`,
    }
  },
})

const ceilingsOf = async ({ deps, session }: PageContext): Promise<Policy['mandates']> =>
  (await policyInForce(deps, session.account)).mandates

/** @param editable  the kinds whose limits the reader can change */
const ceilingsSection = (ceilings: Policy['mandates'], editable: string[]): Part =>
  html`<section aria-labelledby="ceilings">
    <h2 id="ceilings">Limits of the policy</h2>
    ${
      Object.keys(ceilings).length === 0
        ? html`<p>The policy allows no mandates yet.</p>`
        : ceilingsTable(ceilings)
    }
    ${
      editable.length === 0
        ? ''
        : html`<p>Edit the limits of:</p>
            <ul>
              ${editable.map((kind) => html`<li><a href="${ceilingPath(kind)}">${kind}</a></li>`)}
            </ul>`
    }
  </section>`

/** What the gate proposes to the member, from their own approvals. */
const suggestedSection = (suggested: SuggestedMandate[]): Part =>
  suggested.length === 0
    ? ''
    : html`<section aria-labelledby="suggested">
        <h2 id="suggested">Suggested</h2>
        <p>From what you decided in the last ${limits.habitsDays} days:</p>
        <ul>
          ${suggested.map(
            (one) =>
              html`<li>
                ${one.terms.allows[0]!.kind} by <bdi>${escapeInvisible(one.terms.agent_name)}</bdi>: a mandate
                for ${worstCase(one.terms)} would have saved ${one.saved} of ${one.asked} questions,
                ${one.hasty} of them decided in under ${limits.hastyDecisionMs / 1_000} s.
                <a class="button" href="${newMandatePath}?from=${encodeURIComponent(nameOfSuggestion(one))}"
                  >Fill in this mandate</a
                >
              </li>`,
          )}
        </ul>
      </section>`

/** A page that asks before it changes a mandate. */
function changePage(
  verb: 'freeze' | 'resume' | 'end',
  { words, button, flash }: { words: string; button: string; flash: Flash },
) {
  return definePage({
    path: `${mandatesPath}/:mandate/${verb}`,
    form: z.strictObject({}),
    async show(context, _query, rejected) {
      const { deps, session } = context
      const mandate = await mandateOf(deps.db, session, mandateIn(context))
      if (!mandate.isInForce && !rejected) throw new GateError('conflict', 'This mandate is not in force.')
      return {
        title: `${button} #${mandate.action.id}?`,
        body: html`${formProblem(rejected)} ${facts(factsOf(mandate))}
          <p>${words}</p>
          ${confirmation({ button, back: mandatesPath })}`,
      }
    },
    async send(context) {
      const { deps, session } = context
      const id = mandateIn(context)
      if (verb === 'end') await endMandateNow(deps.db, session, id)
      else await freezeMandateNow(deps.db, session, id, verb === 'freeze')
      return { to: mandatesPath, flash }
    },
  })
}

export const endMandatePage = changePage('end', {
  words:
    'From now on, the member is asked about each of these actions again. This cannot be undone; the member can sign a new mandate.',
  button: 'End mandate',
  flash: 'mandate_ended',
})

export const freezeMandatePage = changePage('freeze', {
  words:
    'From now on, the member is asked about each of these actions, until the mandate is resumed or ends.',
  button: 'Freeze mandate',
  flash: 'mandate_frozen',
})

export const resumeMandatePage = changePage('resume', {
  words:
    'The agent can use what is left of it again. What an administrator froze, only administrators resume.',
  button: 'Resume mandate',
  flash: 'mandate_resumed',
})

const factsOf = (mandate: Mandate): [string, Part][] =>
  mandate.terms
    ? [
        ['Agent', html`<bdi>${escapeInvisible(mandate.key_name)}</bdi>`],
        ['Allows', termsPart(mandate.terms)],
        ['Spent', spentPart(mandate, mandate.terms)],
        ['Member', nameOf(mandate.action.member)],
        ['Ends', moment(mandate.expires_at)],
      ]
    : [
        ['Commands', commandsPart(mandate)],
        ['Folder', folderOf(mandate)],
        ['Pinned to', pinsOf(mandate)],
        ['Machine', mandate.key_name],
        ['Member', nameOf(mandate.action.member)],
        ['Used', usesOf(mandate)],
        ['Ends', moment(mandate.expires_at)],
      ]

const mandateIn = (context: PageContext): number =>
  Number(idIn(context, 'mandate', z.string().regex(/^[1-9]\d{0,14}$/)))
