import { type Html, type Part, html } from '../web/html.ts'
import { table } from './parts.ts'

// The drawing is stretched to the page, so it holds no text: numbers and days stand beside it.
const height = 100
const dayWidth = 20
const barWidth = 14

/** A chart of days: each has a bar, in which each part has its own colour. */
export interface DayChart<Part extends string> {
  /** What is counted: one, and several. */
  noun: [string, string]
  /** The heading of the column of the whole. */
  column: string
  /** What tells the parts apart. */
  by: string
  /** From the bottom of a bar. The stylesheet has a colour for each. */
  parts: readonly Part[]
  /** The words for parts that are not shown by their name. */
  words?: Partial<Record<Part, string>>
  days: ChartedDay<Part>[]
}

export interface ChartedDay<Part extends string> {
  name: string
  counts: Record<Part, number>
  /** There were more than were counted. */
  isMore: boolean
}

/** Bars of each day by part, their legend, and the same as a table for screen readers. Pure. */
export function dayChart<Of extends string>({ noun, column, by, parts, words, days }: DayChart<Of>): Html {
  const wordsOf = (part: Of): string => words?.[part] ?? part
  const totalOf = ({ counts }: ChartedDay<Of>) => sum(parts.map((part) => counts[part]))
  const top = niceTop(Math.max(...days.map(totalOf)))
  const isMore = days.some((day) => day.isMore)
  const total = sum(days.map(totalOf))
  const label = `${column} of ${days.length} days by ${by}. The table after the chart has the numbers.`
  return html`<figure class="chart">
    <figcaption>
      <strong>${counted(total, isMore)}</strong> ${noun[total === 1 ? 0 : 1]}
      <ul class="legend">
        ${parts.map((part) => {
          const ofPart = sum(days.map(({ counts }) => counts[part]))
          return html`<li>
            <span class="swatch ${part}"></span>${wordsOf(part)}
            <strong>${counted(ofPart, isMore && ofPart > 0)}</strong>
          </li>`
        })}
      </ul>
    </figcaption>
    <div class="plot">
      <span class="top" aria-hidden="true">${top.toLocaleString('en-US')}</span>
      <svg
        role="img"
        aria-label="${label}"
        viewBox="0 0 ${days.length * dayWidth} ${height}"
        preserveAspectRatio="none"
      >
        <path class="line" d="M0 0.5H${days.length * dayWidth}M0 ${height / 2}H${days.length * dayWidth}" />
        ${days.map((day, at) => bar(day, { parts, wordsOf }, at, top))}
      </svg>
      <ol class="days" aria-hidden="true">
        ${days.map(({ name }, at) => html`<li>${dayLabel(name, at)}</li>`)}
      </ol>
    </div>
    <div class="hidden">
      ${table(
        `${column} by day and ${by}`,
        ['Day', column, ...parts.map(wordsOf)],
        days.map((day): Part[] => [
          day.name,
          counted(totalOf(day), day.isMore),
          ...parts.map((part) => day.counts[part]),
        ]),
      )}
    </div>
  </figure>`
}

const sum = (numbers: number[]): number => numbers.reduce((all, one) => all + one, 0)

/** The bar of a day: one rectangle a part, the first at the bottom. */
function bar<Of extends string>(
  { name, counts }: ChartedDay<Of>,
  { parts, wordsOf }: { parts: readonly Of[]; wordsOf: (part: Of) => string },
  at: number,
  top: number,
): Html[] {
  const x = at * dayWidth + (dayWidth - barWidth) / 2
  let below = 0
  return parts
    .filter((part) => counts[part] > 0)
    .map((part) => {
      const size = (counts[part] / top) * height
      below += size
      return html`<rect
        class="${part}"
        x="${x}"
        y="${rounded(height - below)}"
        width="${barWidth}"
        height="${rounded(size)}"
        ><title>${name}: ${counts[part]} ${wordsOf(part)}</title></rect
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
