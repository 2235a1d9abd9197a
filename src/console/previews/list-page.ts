import { z } from 'zod'
import { GateError } from '../../errors.ts'
import {
  type ListedPreview,
  type PreviewModes,
  listPreviews,
  readPreviewModes,
} from '../../operations/previews/list-previews.ts'
import { readPreviewAsAdmin, stopPreviewAsAdmin } from '../../operations/previews/stop-as-admin.ts'
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

/** The page parameter in the address of a listing. */
const previewPlaceCharsMax = 64

export const previewsPath = '/console/previews'

/** The previews of the account: who started them, when, and why they ended. */
export const previewsPage = definePage({
  path: previewsPath,
  role: 'admin',
  query: z.strictObject({ before: optionally(z.string().max(previewPlaceCharsMax)) }),
  async show({ deps, session }, { before }) {
    const [{ previews, next_before: next }, modes] = await Promise.all([
      listPreviews(deps, session.account, before),
      readPreviewModes(deps),
    ])
    return {
      title: 'Previews',
      body: html`<p>
          A preview shows what members build in a conversation, as a web page for its participants. Agents
          start a preview with <code>start_preview</code>.
        </p>
        ${previews.length === 0 ? empty(noPreviews(before)) : previewTable(previews)}
        ${nextPage(next === undefined ? undefined : `${previewsPath}?${new URLSearchParams({ before: next })}`)}
        ${modesPart(modes)}`,
    }
  },
})

/** Confirms before a preview is stopped. */
export const stopPreviewPage = definePage({
  path: `${previewsPath}/:preview/stop`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { session } = context
    const preview = await readPreviewAsAdmin(context.deps, session.account, previewIn(context))
    if (!isLive(preview.state) && !rejected)
      throw new GateError('conflict', `This preview is already ${stateWords[preview.state]}.`)
    return {
      title: 'Stop preview?',
      body: html`${formProblem(rejected)}
        ${facts([
          ['Conversation', html`<code>${preview.conversation_id}</code>`],
          ['Status', stateBadge(preview.state)],
          ['Started', moment(preview.started_at)],
          [
            'Started by',
            html`<a href="/console/ledger/${preview.action_id}">action #${preview.action_id}</a>`,
          ],
        ])}
        <p>
          The preview closes immediately for all viewers, and its links stop working. The workspace files are
          kept. Any participant can start a new preview.
        </p>
        ${confirmation({ button: 'Stop preview', back: previewsPath })}`,
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
    ? 'No previews yet. Agents can start a preview in a conversation that has a workspace.'
    : 'No more previews.'

const previewTable = (previews: ListedPreview[]): Html =>
  table(
    'Previews, newest first',
    ['Conversation', 'Status', 'Started by', 'Mode', 'Started', 'Ends', 'Actions'],
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
  return html`<h2>Available modes</h2>
    ${
      hosts === 0
        ? html`<p class="notice">No worker is available. Previews cannot be started now.</p>`
        : html`<p>
            ${hosts === 1 ? '1 worker runs' : `${hosts} workers run`} previews. Available modes:
            ${modes.map((mode) => modeWords[mode]).join(', ')}.
          </p>`
    }
    ${unavailable.map(
      ({ mode, reasons }) => html`<p>Mode <code>${mode}</code> is not available: ${reasons.join(' ')}</p>`,
    )}`
}
