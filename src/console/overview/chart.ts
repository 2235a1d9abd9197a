import { type Activity, type DayCounts, outcomes } from '../../operations/proposals/activity.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { table } from '../parts.ts'

// The drawing is stretched to the page, so it holds no text: numbers and days stand beside it.
const height = 100
const dayWidth = 20
const barWidth = 14

/** Bars of the proposals of each day by outcome, their legend, and the same as a table for screen readers. Pure. */
export function activityChart({ days, totals, total, isMore }: Activity): Html {
  const top = niceTop(Math.max(...days.map((day) => day.total)))
  const label = `Proposals of ${days.length} days by outcome. The table after the chart has the numbers.`
  return html`<figure class="chart">
    <figcaption>
      <strong>${counted(total, isMore)}</strong> ${total === 1 ? 'proposal' : 'proposals'}
      <ul class="legend">
        ${outcomes.map(
          (outcome) =>
            html`<li>
              <span class="swatch ${outcome}"></span>${outcome}
              <strong>${counted(totals[outcome], isMore && totals[outcome] > 0)}</strong>
            </li>`,
        )}
      </ul>
    </figcaption>
    <div class="plot">
      <span class="top" aria-hidden="true">${top}</span>
      <svg
        role="img"
        aria-label="${label}"
        viewBox="0 0 ${days.length * dayWidth} ${height}"
        preserveAspectRatio="none"
      >
        <path class="line" d="M0 0.5H${days.length * dayWidth}M0 ${height / 2}H${days.length * dayWidth}" />
        ${days.map((day, at) => bar(day, at, top))}
      </svg>
      <ol class="days" aria-hidden="true">
        ${days.map(({ name }, at) => html`<li>${dayLabel(name, at)}</li>`)}
      </ol>
    </div>
    <div class="hidden">
      ${table(
        'Proposals by day and outcome',
        ['Day', 'Proposals', ...outcomes],
        days.map((day): Part[] => [
          day.name,
          counted(day.total, day.isMore),
          ...outcomes.map((outcome) => day.counts[outcome]),
        ]),
      )}
    </div>
  </figure>`
}

/** The bar of a day: one rectangle an outcome, the first at the bottom. */
function bar({ name, counts }: DayCounts, at: number, top: number): Html[] {
  const x = at * dayWidth + (dayWidth - barWidth) / 2
  let below = 0
  return outcomes
    .filter((outcome) => counts[outcome] > 0)
    .map((outcome) => {
      const size = (counts[outcome] / top) * height
      below += size
      return html`<rect
        class="${outcome}"
        x="${x}"
        y="${rounded(height - below)}"
        width="${barWidth}"
        height="${rounded(size)}"
        ><title>${name}: ${counts[outcome]} ${outcome}</title></rect
      >`
    })
}

const rounded = (value: number): number => Math.round(value * 1_000) / 1_000

/** The number at the top of the chart: a round number, at least the largest value, that can be halved. Pure. */
export function niceTop(largest: number): number {
  if (largest <= 2) return 2
  const power = 10 ** Math.floor(Math.log10(largest))
  return [1, 2, 4, 6, 8, 10].map((step) => step * power).find((step) => step >= largest)!
}

/** The day of the month, with the month where it begins. */
function dayLabel(name: string, at: number): Part {
  const day = Number(name.slice(8))
  if (at > 0 && day > 1) return day
  return html`${day} <span class="month">${months[Number(name.slice(5, 7)) - 1]!}</span>`
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** `10,000+`. Pure. */
export const counted = (count: number, isMore: boolean): string =>
  `${count.toLocaleString('en-US')}${isMore ? '+' : ''}`
