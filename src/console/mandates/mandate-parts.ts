import { leftOf } from '../../gate/mandates/outside.ts'
import type { MandateCeiling, MandateTerms } from '../../gate/mandates/terms.ts'
import { amounts, limitLines, times, worstCase } from '../../gate/mandates/words.ts'
import type { Mandate } from '../../operations/mandates/mandates.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { moment, nameOf, rowLink, table } from '../parts.ts'
import { proposalsPath } from '../proposals/list-page.ts'

export const mandatesPath = '/console/mandates'
export const newMandatePath = `${mandatesPath}/new`

/** Bounded mandates in force, a line each, with what is spent of them. */
export const boundedTable = (mandates: Mandate[]): Html =>
  table(
    'Mandates for agents',
    ['Mandate', 'Allows', 'Spent', 'Ends', 'Actions'],
    mandates.map((one): Part[] => [
      html`${numberOf(one)} <bdi>${escapeInvisible(one.key_name)}</bdi>
        <p class="hint">for ${nameOf(one.action.member)}</p>`,
      one.terms ? termsPart(one.terms) : 'erased',
      one.terms ? spentPart(one, one.terms) : '',
      html`${moment(one.expires_at)} ${one.frozen_at ? html`<span class="badge denied">frozen</span>` : ''}`,
      html`${
        one.frozen_at
          ? rowLink(`${mandatesPath}/${one.action.id}/resume`, 'Resume', `mandate ${one.action.id}`)
          : rowLink(`${mandatesPath}/${one.action.id}/freeze`, 'Freeze', `mandate ${one.action.id}`)
      }
      ${rowLink(`${mandatesPath}/${one.action.id}/end`, 'End', `mandate ${one.action.id}`)}`,
    ]),
  )

/** The limits of each kind, and the worst case. */
export const termsPart = (terms: MandateTerms): Html =>
  html`${terms.allows.map(
    (allowed) =>
      html`<strong>${allowed.kind}</strong>${limitLines(allowed).map(
          ([label, limit]) =>
            html`<br /><bdi>${escapeInvisible(label)}</bdi>: <bdi>${escapeInvisible(limit)}</bdi>`,
        )}<br />`,
  )}
  In all, ${worstCase(terms)}`

/** What is spent of a budget, and what is left of it. */
export function spentPart({ spent }: Pick<Mandate, 'spent'>, terms: MandateTerms): Html {
  const left = leftOf(terms, spent)
  const of = (uses: number, cents: Record<string, number>) =>
    [times(uses), amounts(cents)].filter((part) => part !== '').join(', ')
  return html`${of(spent.uses, spent.cents)}
    <p class="hint">Left: ${of(left.uses, left.cents)}. Today: ${of(left.uses_today, left.cents_today)}</p>`
}

/** Mandates for the commands of agent runners in force, a line each. */
export const commandsTable = (mandates: Mandate[]): Html =>
  table(
    'Mandates for commands of agent runners',
    ['Mandate', 'Commands', 'Machine', 'Member', 'Used', 'Ends', 'Actions'],
    mandates.map((one): Part[] => [
      numberOf(one),
      html`${commandsPart(one)}
        <p class="hint">Pinned to ${pinsOf(one)}, in <bdi>${folderOf(one)}</bdi></p>`,
      html`<bdi>${escapeInvisible(one.key_name)}</bdi>`,
      nameOf(one.action.member),
      usesOf(one),
      moment(one.expires_at),
      rowLink(`${mandatesPath}/${one.action.id}/end`, 'End', `mandate ${one.action.id}`),
    ]),
  )

const numberOf = ({ action: { id } }: Mandate): Html => html`<a href="${proposalsPath}/${id}">#${id}</a>`

/** What administrators allow mandates to be, a line for each kind. */
export const ceilingsTable = (ceilings: Record<string, MandateCeiling>): Html =>
  table(
    'Limits of the policy',
    ['Kind', 'Each', 'In all', 'A day', 'Lasts at most', 'Signed with'],
    Object.entries(ceilings).map(([kind, one]): Part[] => [
      kind,
      amounts(one.cents_each) || '–',
      [times(one.uses), amounts(one.cents)].filter(Boolean).join(', '),
      [times(one.uses_per_day), amounts(one.cents_per_day)].filter(Boolean).join(', '),
      one.days === 1 ? '1 day' : `${one.days} days`,
      `${one.consent}${one.counts_as ? `, counts as ${one.counts_as}` : ''}`,
    ]),
  )

export const folderOf = ({ payload: { cwd = '' } }: Mandate): string => escapeInvisible(cwd)

/** The files whose change ends what it covers. */
export function pinsOf({ payload: { pinned_to: pins = [] } }: Mandate): string {
  const found = pins.filter(({ sha256 }) => sha256 !== undefined).map(({ path }) => escapeInvisible(path))
  return found.length === 0 ? 'the words alone' : found.join(', ')
}

export const commandsPart = ({ payload: { commands = [] } }: Mandate): Html =>
  html`<ul>
    ${commands.map(
      (command) =>
        html`<li>
          <code><bdi>${escapeInvisible(command)}</bdi></code>
        </li>`,
    )}
  </ul>`

export const usesOf = ({ uses }: Pick<Mandate, 'uses'>): string =>
  uses === 0 ? 'not yet' : uses === 1 ? 'once' : `${uses} times`
