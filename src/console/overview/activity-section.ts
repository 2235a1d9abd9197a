import { limits } from '../../limits.ts'
import { type Activity, type Day, outcomes, readActivity } from '../../operations/proposals/activity.ts'
import { type Html, html } from '../../web/html.ts'
import { addDays, dayIn, defaultTimeZone, startOfDay } from '../../web/times.ts'
import { ledgerPath } from '../ledger/ledger-path.ts'
import { durationWords } from '../ledger/entry-words.ts'
import type { PageContext } from '../page.ts'
import { counted, dayChart } from '../day-chart.ts'
import { denialWords } from './denial-words.ts'

const overviewReasonsMax = 8

/** The last days of the account: proposals by outcome, how long decisions took, and why proposals were denied. */
export async function activitySection({ deps, session }: PageContext): Promise<Html> {
  const days = lastDays(new Date(), session.timeZone ?? defaultTimeZone)
  const activity = await readActivity(deps, session.account, days)
  return html`<section aria-labelledby="activity">
    <h2 id="activity">Last ${limits.overviewDays} days</h2>
    ${
      activity.total === 0
        ? html`<p class="empty">No proposals in the last ${limits.overviewDays} days.</p>`
        : html`<div class="activity">
            <div>${activityChart(activity)}</div>
            <div>${timesPart(activity)} ${reasonsPart(activity)}</div>
          </div>`
    }
  </section>`
}

/** The proposals of each day by outcome. Pure. */
export const activityChart = ({ days }: Pick<Activity, 'days'>): Html =>
  dayChart({ noun: ['proposal', 'proposals'], column: 'Proposals', by: 'outcome', parts: outcomes, days })

/** The days up to today, in a time zone. Pure. */
export function lastDays(now: Date, timeZone: string): Day[] {
  const today = dayIn(now, timeZone)
  return Array.from({ length: limits.overviewDays }, (_, at) => {
    const name = addDays(today, at - limits.overviewDays + 1)
    return { name, from: startOfDay(name, timeZone), to: startOfDay(addDays(name, 1), timeZone) }
  })
}

function timesPart({ decisions: { count, median_ms: median, p90_ms: p90 } }: Activity): Html {
  if (median === null || p90 === null)
    return html`<h3>Time to a decision</h3>
      <p class="none">No decisions yet</p>`
  const isMore = count >= limits.overviewDecisionsMax
  return html`<h3>Time to a decision</h3>
    <dl class="times">
      <div>
        <dt>median</dt>
        <dd>${durationWords(median)}</dd>
      </div>
      <div>
        <dt>p90</dt>
        <dd>${durationWords(p90)}</dd>
      </div>
    </dl>
    <p class="hint">
      ${isMore ? 'The newest' : ''} ${counted(count, false)} ${count === 1 ? 'decision' : 'decisions'}, from
      proposal to confirm or decline. <a href="/console/habits">Decision habits</a>
    </p>`
}

function reasonsPart({ denials, totals, isMore }: Activity): Html {
  const shown = denials.slice(0, overviewReasonsMax)
  return html`<h3>Denials by reason</h3>
    ${
      shown.length === 0
        ? html`<p class="none">None denied</p>`
        : html`<ul class="reasons">
              ${shown.map(
                ({ code, count }) =>
                  html`<li>
                    <span>${denialWords(code)}</span> <strong>${counted(count, isMore)}</strong>
                    ${share(count, totals.denied)}
                  </li>`,
              )}
            </ul>
            <p class="hint"><a href="${ledgerPath}?status=denied">Show denied actions</a></p>`
    }`
}

/** A bar as long as the share of all denials. */
const share = (count: number, all: number): Html =>
  html`<svg aria-hidden="true" viewBox="0 0 100 4" preserveAspectRatio="none">
    <rect class="denied" width="${Math.max(1, Math.round((count * 100) / all))}" height="4" />
  </svg>`
