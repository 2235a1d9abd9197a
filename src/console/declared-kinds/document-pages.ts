import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import { addKind } from '../../operations/kinds/declared-kinds.ts'
import { kindVersion } from '../../operations/kinds/kind-history.ts'
import { declaredKindName } from '../../operations/kinds/kind-document.ts'
import { type KindReview, reviewKind } from '../../operations/kinds/review-kind.ts'
import { cardHtml } from '../../web/card-html.ts'
import { type Part, html } from '../../web/html.ts'
import { jsonDocument, optionally } from '../forms.ts'
import { type PageContext, type View, accountOf, asAdmin, definePage } from '../page.ts'
import { hiddenFields } from '../policies/controls.ts'
import { documentView } from './document-form.ts'
import { newestIn } from './kind-page.ts'
import { kindPathOf, kindsPath, newKindPath as newPath, reviewKindPath as reviewPath } from './paths.ts'
import { documentDiff, versionNumber } from './versions-page.ts'

const documentField = z
  .string()
  .max(limits.kindDocumentCharsMax, `must have at most ${limits.kindDocumentCharsMax} characters`)
const page = {
  role: 'admin',
  formBytesMax: limits.policyFormBytesMax,
  // Whatever is wrong with the document is wrong in its field.
  fieldOf: () => 'document',
} as const

/** Declares a kind: first its document, then what it does. */
export const newKindPage = definePage({
  ...page,
  path: newPath,
  form: z.strictObject({ document: documentField }),
  show: async (_context, _query, rejected) => documentView({ rejected }),
  send: (context, { document }) => reviewView(context, { text: document }),
})

/** Declares the next version of a kind, by the same way. */
export const changeKindPage = definePage({
  ...page,
  path: `${kindPathOf(':declared')}/change`,
  query: z.strictObject({ version: optionally(versionNumber) }),
  form: z.strictObject({ document: documentField }),
  async show(context, { version }, rejected) {
    const newest = await newestIn(context)
    const shown = version === undefined ? newest : await kindVersion(accountOf(context), newest.kind, version)
    const state = newest.retired_at === null ? 'is in force' : 'is retired'
    const from =
      shown.version === newest.version ? '' : ` The document below is that of version ${shown.version}.`
    return documentView({
      kind: newest.kind,
      text: JSON.stringify(shown.document, null, 2),
      about: `Version ${newest.version} ${state}.${from} Open proposals keep the version that they were proposed with.`,
      rejected,
    })
  },
  async send(context, { document }) {
    const { kind } = await newestIn(context)
    return reviewView(context, { text: document, kind })
  },
})

/** Stores the document that was reviewed, or returns to the form with it. */
export const reviewKindPage = definePage({
  ...page,
  path: reviewPath,
  form: z.strictObject({
    do: z.enum(['declare', 'edit'], 'must be a button of the page'),
    document: documentField,
    base: wholeNumber(0, Number.MAX_SAFE_INTEGER),
    kind: declaredKindName.optional(),
  }),
  async show(_context, _query, rejected) {
    if (rejected) return documentView({ kind: knownKind(rejected.values['kind']), rejected })
    return {
      title: 'No document to review',
      body: html`<p>There is no document to review. <a href="${kindsPath}">Open declared kinds</a></p>`,
    }
  },
  async send(context, { do: button, document: text, base, kind }) {
    if (button === 'edit') return documentView({ kind, text })
    const document = documentOf(text, kind)
    const declared = await addKind(asAdmin(context), document, context.deps.executors.allowed, base)
    return { to: kindPathOf(declared.kind), flash: 'kind_declared' }
  },
})

const knownKind = (kind: string | undefined): string | undefined => declaredKindName.safeParse(kind).data

/** The document in a text. @throws GateError `invalid` also where it is of another kind than the one that is changed */
function documentOf(text: string, kind: string | undefined): unknown {
  const document = jsonDocument(text)
  if (kind !== undefined && (document as { kind?: unknown } | null)?.kind !== kind)
    throw new GateError(
      'invalid',
      `document must keep the kind ${kind}. Declare another kind on a page of its own.`,
      { param: 'document' },
    )
  return document
}

/** The page between a document and storing it: what changes, and the decision card. @throws as `reviewKind` */
async function reviewView(
  context: PageContext,
  { text, kind }: { text: string; kind?: string },
): Promise<View> {
  const review = await reviewKind(accountOf(context), documentOf(text, kind), {
    accountName: context.session.accountName,
    now: new Date(),
    allowed: context.deps.executors.allowed,
  })
  const { document, version, lines, card, base } = review
  const carried = { document: text, base: String(base), ...(kind === undefined ? {} : { kind }) }
  return {
    title: `Review of ${document.title}`,
    body: html`<p>${aboutReview(review)} Nothing is stored until you declare it below.</p>
      <h2 id="changes">Changes</h2>
      ${lines.every(({ change }) => change === 'same') ? html`<p>No changes.</p>` : ''} ${documentDiff(lines)}
      <h2 id="card">Decision card</h2>
      <p>An example with made-up values: agents write the real ones, and optional fields can be absent.</p>
      ${cardHtml(card)}
      <form method="post" action="${reviewPath}">
        ${hiddenFields(carried)}
        <p class="actions">
          <button type="submit" name="do" value="declare">Declare version ${version}</button>
          <button type="submit" class="quiet" name="do" value="edit">Edit again</button>
          <a class="button" href="${kind === undefined ? kindsPath : kindPathOf(kind)}">Discard document</a>
        </p>
      </form>`,
  }
}

function aboutReview({ document, newest, version }: KindReview): Part {
  const { kind } = document
  if (!newest) return html`<code>${kind}</code> is a new kind.`
  const link = html`<a href="${kindPathOf(kind)}">Version ${newest.version}</a> of <code>${kind}</code>`
  return newest.retired_at === null
    ? html`${link} is in force. Version ${version} would replace it.`
    : html`${link} is retired. Version ${version} would put the kind in force again.`
}
