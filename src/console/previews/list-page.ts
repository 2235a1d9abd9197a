import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import {
  type ListedPreview,
  type PreviewModes,
  listPreviews,
  readPreviewModes,
} from '../../operations/admin/list-previews.ts'
import { readPreviewAsAdmin, stopPreviewAsAdmin } from '../../operations/admin/stop-preview.ts'
import { previewIdForm } from '../../previews/label.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { type PageContext, asAdmin, definePage, idIn } from '../page.ts'
import {
  confirmation,
  empty,
  facts,
  moment,
  nameOf,
  nextPage,
  formProblem,
  rowLink,
  table,
} from '../parts.ts'
import { isLive, modeWords, stateBadge, stateWords, whyEnded } from './preview-words.ts'

export const previewsPath = '/console/previews'

/** What was built and is, or was, shown: who started it, since when, and why it ended. */
export const previewsPage = definePage({
  path: previewsPath,
  role: 'admin',
  query: z.strictObject({ before: optionally(z.string().max(limits.previewPlaceCharsMax)) }),
  async show({ deps, session }, { before }) {
    const [{ previews, next_before: next }, ways] = await Promise.all([
      listPreviews(deps, session.account, before),
      readPreviewModes(deps),
    ])
    return {
      title: 'Previews',
      body: html`<p>
          What members build in a conversation is shown as a page to those who take part in it. Their agents
          start it with <code>start_preview</code>.
        </p>
        ${previews.length === 0 ? empty(noPreviews(before)) : previewTable(previews)}
        ${nextPage(next === undefined ? undefined : `${previewsPath}?${new URLSearchParams({ before: next })}`)}
        ${modesPart(ways)}`,
    }
  },
})

/** Asks before a preview is stopped. */
export const stopPreviewPage = definePage({
  path: `${previewsPath}/:preview/stop`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { session } = context
    const preview = await readPreviewAsAdmin(context.deps, session.account, previewIn(context))
    if (!isLive(preview.state) && !rejected)
      throw new GateError('conflict', `This preview is ${stateWords[preview.state]} already.`)
    return {
      title: 'Stop this preview?',
      body: html`${formProblem(rejected)}
        ${facts([
          ['Conversation', html`<code>${preview.conversation_id}</code>`],
          ['State', stateBadge(preview.state)],
          ['Started', moment(preview.started_at)],
          ['Started by', html`<a href="/console/ledger/${preview.action_id}">row ${preview.action_id}</a>`],
        ])}
        <p>
          Its links and cookies end at once, for everybody who looks at it. Any participant may start another
          one. What was built stays as it is.
        </p>
        ${confirmation({ button: 'Stop the preview', back: previewsPath })}`,
    }
  },
  async send(context) {
    const { ended_at } = await stopPreviewAsAdmin(context.deps, asAdmin(context), previewIn(context))
    return { to: previewsPath, flash: ended_at === null ? 'preview_stopping' : 'preview_stopped' }
  },
})

const previewIn = (context: PageContext): string => idIn(context, 'preview', z.string().regex(previewIdForm))

const noPreviews = (before: string | undefined): string =>
  before === undefined
    ? 'Nothing was previewed yet. A conversation with a workspace has something to show: an agent starts it.'
    : 'There are no more previews.'

const previewTable = (previews: ListedPreview[]): Html =>
  table(
    'Previews, the newest first',
    ['Conversation', 'State', 'By', 'Way', 'Started', 'Until', 'Stop'],
    previews.map((preview): Part[] => [
      html`<bdi>${preview.conversation_id}</bdi>`,
      html`${stateBadge(preview.status)} ${whyEnded(preview)}`,
      nameOf(preview.started_by),
      modeWords[preview.mode],
      html`<a href="/console/ledger/${preview.action_id}">${moment(preview.started_at)}</a>`,
      moment(preview.ended_at ?? preview.expires_at),
      isLive(preview.status)
        ? rowLink(
            `${previewsPath}/${preview.preview_id}/stop`,
            'Stop',
            `the preview of ${preview.conversation_id}`,
          )
        : '',
    ]),
  )

function modesPart({ hosts, modes, unavailable }: PreviewModes): Html {
  return html`<h2>How they can be run</h2>
    ${
      hosts === 0
        ? html`<p class="notice">No worker is heard of: no preview can be started now.</p>`
        : html`<p>
            ${hosts === 1 ? 'One worker shows' : `${hosts} workers show`} previews now:
            ${modes.map((mode) => modeWords[mode]).join(', and ')}.
          </p>`
    }
    ${unavailable.map(
      ({ mode, reasons }) =>
        html`<p>
          ${mode === 'command' ? 'Nothing that was built is run' : `Not as ${mode}`}: ${reasons.join(' ')}
        </p>`,
    )}`
}
