import { type ShownAction } from '../operations/overview.ts'
import { type Part, html } from '../transports/html.ts'
import { type Visit } from './page.ts'

/** What the member who proposed an action can do about it while it is open; nothing for anybody else. */
export function decisionSection(_visit: Visit, { isOwn }: ShownAction): Part {
  if (!isOwn) return ''
  return html`<section aria-labelledby="decide">
    <h2 id="decide">Your decision</h2>
    <p>Tell the agent that proposed it yes or no: it confirms or cancels for you.</p>
  </section>`
}
