import { z } from 'zod'
import { type PolicyVersion, policyHistory, policyVersion } from '../../operations/admin/policy-history.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { definePage, idIn } from '../page.ts'
import { facts, moment, nextPage } from '../parts.ts'
import { policiesPath } from './form-schema.ts'
import { diffList, setByWords } from './words.ts'

const path = `${policiesPath}/history`
const version = z.string().regex(/^[1-9]\d{0,14}$/, 'must be a version')

/** Every version of the policy, the newest first: who set it, when, and what it changed. */
export const policyHistoryPage = definePage({
  path,
  role: 'admin',
  query: z.strictObject({ before: version.optional() }),
  async show({ deps, session }, { before }) {
    const { versions, next, inForce } = await policyHistory(
      deps,
      session.account,
      before === undefined ? null : Number(before),
    )
    return {
      title: 'Versions of the policy',
      body: html`<p>
          Each change is a version, and an entry in the ledger. Version ${inForce} is in force. What a version
          does not name is told by today’s defaults.
          <a href="${policiesPath}">To the policy</a>
        </p>
        ${versions.map((one) => section(one, inForce))}
        ${nextPage(next === undefined ? undefined : `${path}?before=${next}`)}`,
    }
  },
})

/** One version in full. */
export const policyVersionPage = definePage({
  path: `${path}/:version`,
  role: 'admin',
  async show(context) {
    const { deps, session } = context
    const one = await policyVersion(deps, session.account, Number(idIn(context, 'version', version)))
    return {
      title: `Version ${one.version} of the policy`,
      body: html`${facts(aboutVersion(one))} ${diffList(one.lines)} ${documentPart(one)}
        <p><a href="${path}">All versions</a></p>`,
    }
  },
})

function section(one: PolicyVersion, inForce: number): Html {
  const isNow = one.version === inForce
  return html`<section aria-labelledby="version-${one.version}">
    <h2 id="version-${one.version}">
      <a href="${path}/${one.version}">Version ${one.version}</a>
      ${isNow ? html`<span class="badge good">in force</span>` : ''}
    </h2>
    ${facts(aboutVersion(one))} ${one.version === 1 ? '' : diffList(one.lines)}
  </section>`
}

function documentPart({ document, seq }: PolicyVersion): Html {
  if (document === null)
    return html`<p>These are today’s defaults: of this version no document is stored.</p>`
  return html`<p>The lines above include today’s defaults for what the document does not name.</p>
    <h2>The document</h2>
    <p>
      All that was set by then, as it is
      stored.${seq === null ? '' : ' The digest in its entry of the ledger is of its canonical form (RFC 8785).'}
    </p>
    <pre class="message">${JSON.stringify(document, null, 2)}</pre>`
}

function aboutVersion(one: PolicyVersion): [string, Part][] {
  const { version, at, seq } = one
  if (version === 1) return [['Set by', 'nobody: it is what holds where nothing was set']]
  return [
    ['Set', moment(at)],
    ['By', setByWords(one)],
    ...(seq === null
      ? []
      : ([['Entry of the ledger', html`<span class="number">${seq}</span>`]] as [string, Part][])),
  ]
}
