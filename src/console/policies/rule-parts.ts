import { tiers } from '../../gate/tier.ts'
import { type Part, html } from '../../web/html.ts'
import { tierBadge } from '../parts.ts'
import type { RuleLine } from './rule-words.ts'

/** What a rule requires, by amount. */
export const ruleLinesPart = (rules: RuleLine[]): Part =>
  listPart(
    rules.map(({ amounts, requires }) => {
      const what = requires === null ? html`<span class="badge bad">denied</span>` : requirement(requires)
      return amounts === '' ? what : html`${amounts}: ${what}`
    }),
  )

const requirement = (requires: string): Part =>
  tiers.some((tier) => tier === requires) ? tierBadge(requires) : requires

/** One item as it is, several as a list. */
export const listPart = (items: Part[]): Part =>
  items.length === 1
    ? items[0]!
    : html`<ul>
        ${items.map((item) => html`<li>${item}</li> `)}
      </ul>`
