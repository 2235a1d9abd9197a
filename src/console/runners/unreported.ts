import type { Unreported } from '../../operations/runner-calls/runners-overview.ts'
import { type Part, html } from '../../web/html.ts'
import { counted } from '../day-chart.ts'
import { runnersPath } from './runners-path.ts'

/** On the overview: calls that were allowed and of which nothing more was heard. Nothing where there are none. */
export const unreportedPart = (unreported: Pick<Unreported, 'count' | 'isMore'>): Part =>
  unreported.count === 0
    ? ''
    : html`<p>
        <a href="${runnersPath}#unreported">${unreportedWords(unreported)}</a>
      </p>`

/** `3 tool calls allowed without a report in the last 24 hours`. Pure. */
export const unreportedWords = ({ count, isMore }: Pick<Unreported, 'count' | 'isMore'>): string =>
  `${counted(count, isMore)} tool ${count === 1 ? 'call' : 'calls'} allowed without a report in the last 24 hours`
