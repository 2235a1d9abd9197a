import type { Mandate } from '../../operations/runner-calls/end-mandate.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { moment, nameOf, rowLink, table } from '../parts.ts'
import { proposalsPath } from '../proposals/list-page.ts'

export const mandatesPath = '/console/mandates'

/** Mandates in force, a line each. */
export const mandatesTable = (mandates: Mandate[]): Html =>
  table(
    'Mandates in force',
    ['Mandate', 'Commands', 'Machine', 'Member', 'Used', 'Ends', 'Actions'],
    mandates.map((one): Part[] => [
      html`<a href="${proposalsPath}/${one.action.id}">#${one.action.id}</a>`,
      html`${commandsPart(one)}
        <p class="hint">Pinned to ${pinsOf(one)}, in <bdi>${folderOf(one)}</bdi></p>`,
      html`<bdi>${escapeInvisible(one.key_name)}</bdi>`,
      nameOf(one.action.member),
      usesOf(one),
      moment(one.expires_at),
      rowLink(`${mandatesPath}/${one.action.id}/end`, 'End', `mandate ${one.action.id}`),
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
