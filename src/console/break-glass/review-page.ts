import { z } from 'zod'
import { limits } from '../../limits.ts'
import {
  type GlassBreakRow,
  readGlassBreak,
  reviewGlassBreak,
} from '../../operations/break-glass/glass-breaks.ts'
import { line } from '../../operations/entered-fields.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { type RejectedForm, definePage } from '../page.ts'
import { facts, field, formProblem, moment, nameOf, table } from '../parts.ts'
import { kindName } from '../proposals/list-page.ts'
import { rowIn } from '../row-id.ts'
import { glassReviewPath } from './paths.ts'

/** Why somebody executed an action alone, and what somebody else thinks of it. */
export const glassReviewPage = definePage({
  path: glassReviewPath(':broken'),
  form: z.strictObject({
    verdict: z.enum(['justified', 'not_justified'], 'must be justified or not_justified'),
    note: line(limits.reasonCharsMax),
  }),
  labels: { note: 'What you found' },
  async show(context, _query, rejected) {
    const { row, mayReview } = await readGlassBreak(context.deps, context.session, rowIn(context, 'broken'))
    return {
      title: `Executed alone: #${row.action_id}`,
      body: html`${formProblem(rejected)} ${facts(factsOf(row))}
        <p><a href="/console/proposals/${row.action_id}">See the action</a></p>
        ${mayReview ? reviewForm(rejected) : ''}`,
    }
  },
  async send(context, { verdict, note }) {
    const id = rowIn(context, 'broken')
    await reviewGlassBreak(context.deps, context.session, id, { isJustified: verdict === 'justified', note })
    return { to: glassReviewPath(id), flash: 'glass_reviewed' }
  },
})

const factsOf = (row: GlassBreakRow): [string, Part][] => [
  ['Action', html`${kindName(row.kind)} for ${nameOf(row.for_name)}`],
  ['Executed alone by', nameOf(row.by_name)],
  ['At', moment(row.at)],
  ['Because', row.reason === null ? 'erased' : html`<bdi>${escapeInvisible(row.reason)}</bdi>`],
  ...(row.reviewed_at === null
    ? ([['Review due', html`${moment(row.review_due_at)}${row.is_overdue ? ' (overdue)' : ''}`]] as [
        string,
        Part,
      ][])
    : ([
        ['Reviewed by', nameOf(row.reviewed_by ?? '')],
        ['Reviewed', moment(row.reviewed_at)],
        ['Found', row.is_justified ? 'justified' : 'not justified'],
        ['Note', row.note === null ? 'erased' : html`<bdi>${escapeInvisible(row.note)}</bdi>`],
      ] as [string, Part][])),
]

const reviewForm = (rejected: RejectedForm | undefined): Html =>
  html`<h2>Review it</h2>
    <form method="post">
      ${field({
        name: 'note',
        label: 'What you found',
        hint: 'Who executed it and administrators see it.',
        charsMax: limits.reasonCharsMax,
        rejected,
      })}
      <div class="choices">
        <button type="submit" name="verdict" value="justified">Justified</button>
        <button type="submit" name="verdict" value="not_justified" class="second">Not justified</button>
      </div>
    </form>`

/** On the overview: what waits for a review. Nothing where nothing does. */
export const reviewsPart = (rows: GlassBreakRow[]): Part =>
  rows.length === 0
    ? ''
    : html`<section aria-labelledby="reviews">
        <h2 id="reviews">Executed alone, to be reviewed</h2>
        ${table(
          'Executed alone, to be reviewed',
          ['Action', 'By', 'At', 'Review due'],
          rows.map((row): Part[] => [
            html`<a href="${glassReviewPath(row.action_id)}">${kindName(row.kind)} #${row.action_id}</a>`,
            nameOf(row.by_name),
            moment(row.at),
            html`${moment(row.review_due_at)}${row.is_overdue ? html` <span class="badge">overdue</span>` : ''}`,
          ]),
        )}
      </section>`
