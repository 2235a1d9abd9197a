import { z } from 'zod'
import { type KindVersion, kindHistory, kindVersion } from '../../operations/kinds/kind-history.ts'
import type { DiffLine } from '../../operations/diff-lines.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import { limits } from '../../limits.ts'
import { escapeInvisible, escapeInvisibleLines } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { accountOf, definePage, idIn } from '../page.ts'
import { facts, moment, nextPage } from '../parts.ts'
import { diffList } from '../policies/words.ts'
import { documentParts, ruleFacts } from './document-parts.ts'
import { aboutVersion, kindIn, newestIn } from './kind-page.ts'
import { declaredBy } from './list-page.ts'
import { kindPathOf } from './paths.ts'

/** The number of a version, in an address. */
export const versionNumber = wholeNumber(1, limits.kindVersionMax)

/** Every version of a kind, newest first: who declared it, when, and what it changed. */
export const kindVersionsPage = definePage({
  path: `${kindPathOf(':declared')}/versions`,
  role: 'admin',
  query: z.strictObject({ before: optionally(versionNumber) }),
  async show(context, { before }) {
    const kind = kindIn(context)
    const newest = await newestIn(context)
    const { versions, next } = await kindHistory(accountOf(context), kind, before)
    return {
      title: `Versions of ${newest.document.title}`,
      body: html`<p>
          A version never changes. Proposals keep the version that they were proposed with.
          <a href="${kindPathOf(kind)}">Back to ${newest.document.title}</a>
        </p>
        ${versions.map((one) => section(one, newest))}
        ${nextPage(next === undefined ? undefined : `${kindPathOf(kind)}/versions?before=${next}`)}`,
    }
  },
})

function section(one: KindVersion, newest: KindVersion): Html {
  const { kind, version, created_at: at } = one
  return html`<section aria-labelledby="version-${version}">
    <h2 id="version-${version}">
      <a href="${kindPathOf(kind)}/versions/${version}">Version ${version}</a> ${stateOf(one, newest)}
    </h2>
    ${facts([
      ['Declared', moment(at)],
      ['Declared by', declaredBy(one)],
    ])}
    ${changesPart(one)}
  </section>`
}

const stateOf = ({ version }: KindVersion, newest: KindVersion): Part => {
  if (version !== newest.version) return ''
  return newest.retired_at === null
    ? html`<span class="badge good">in force</span>`
    : html`<span class="badge over">retired</span>`
}

/** What a version changed. */
function changesPart({ version, lines }: KindVersion): Part {
  if (version === 1) return html`<p>The first version.</p>`
  if (isSame(lines)) return html`<p>No changes: the kind was declared again.</p>`
  return documentDiff(lines)
}

const isSame = (lines: DiffLine[]): boolean => lines.every(({ change }) => change === 'same')

/** The lines of two documents, compared. */
export const documentDiff = (lines: DiffLine[]): Html =>
  diffList(
    lines.map(({ text, change }) => ({ text: escapeInvisible(text), change })),
    'line',
  )

/** One version in full. */
export const kindVersionPage = definePage({
  path: `${kindPathOf(':declared')}/versions/:version`,
  role: 'admin',
  async show(context) {
    const kind = kindIn(context)
    const one = await kindVersion(accountOf(context), kind, Number(idIn(context, 'version', versionInPath)))
    const { document, version } = one
    const newest = await newestIn(context)
    return {
      title: `${document.title}, version ${version}`,
      body: html`<p class="line">${stateOf(one, newest)} <code>${kind}</code></p>
        <p class="message">${escapeInvisibleLines(document.description)}</p>
        ${facts(aboutVersion(one))}
        ${
          version === newest.version
            ? ''
            : html`<p>
                <a class="button" href="${kindPathOf(kind)}/change?version=${version}">Declare again</a>
                <span class="hint">This makes version ${newest.version + 1}, after a review.</span>
              </p>`
        }
        <h2 id="changes">Changes</h2>
        ${changesPart(one)}
        <h2 id="rule">Default rule</h2>
        <div class="rules">
          ${facts(ruleFacts(kind, document.default_rule, document.expires_after_hours))}
        </div>
        ${documentParts(document)}
        <p class="pager"><a href="${kindPathOf(kind)}/versions">All versions</a></p>`,
    }
  },
})

const versionInPath = z.string().regex(/^[1-9]\d{0,8}$/)
