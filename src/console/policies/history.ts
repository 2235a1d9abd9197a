import { z } from 'zod'
import { type PolicyVersion, policyHistory, policyVersion } from '../../operations/policy/policy-history.ts'
import { policyInForce } from '../../operations/policy/policy-in-force.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { auditPath } from '../audit/audit-path.ts'
import { type PageContext, definePage, idIn } from '../page.ts'
import { facts, formProblem, moment, nextPage } from '../parts.ts'
import { policiesPath } from './form-schema.ts'
import { reviewView } from './review.ts'
import { diffList, setByWords } from './words.ts'

const path = `${policiesPath}/history`
const version = z.string().regex(/^[1-9]\d{0,14}$/, 'must be a version')

/** Every version of the policy, newest first: who set it, when, and what changed. */
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
      title: 'Policy versions',
      body: html`<p>
          Each change creates a version and an entry in the ledger. Version ${inForce} is in force. Rules that
          a version does not set are shown with the current defaults.
          <a href="${policiesPath}">Back to policy</a>
        </p>
        ${versions.map((one) => section(one, inForce))}
        ${nextPage(next === undefined ? undefined : `${path}?before=${next}`)}`,
    }
  },
})

/** One version in full. Its form leads to a review of setting it again. */
export const policyVersionPage = definePage({
  path: `${path}/:version`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { deps, session } = context
    const one = await policyVersion(deps, session.account, versionIn(context))
    const inForce = await policyInForce(deps, session.account)
    return {
      title: `Policy version ${one.version}`,
      body: html`${formProblem(rejected)} ${facts(aboutVersion(one))}
        ${one.version === inForce.version ? inForceBadge : restoreForm(one)} ${diffList(one.lines)}
        ${documentPart(one)}
        <p><a href="${path}">All versions</a></p>`,
    }
  },
  async send(context) {
    const { version: restores } = await policyVersion(
      context.deps,
      context.session.account,
      versionIn(context),
    )
    return reviewView(context, { edit: { restores } })
  },
})

const versionIn = (context: PageContext): number => Number(idIn(context, 'version', version))

const inForceBadge = html`<p><span class="badge good">in force</span></p>`

const restoreForm = ({ version: one }: PolicyVersion): Html =>
  html`<form method="post" action="${path}/${one}">
    <button type="submit" class="plain">Restore version ${one}</button>
    <p class="hint">
      The next page compares it with the version in force. Nothing changes before you set it.
    </p>
  </form>`

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
    return html`<p>These are the current defaults. No document is stored for this version.</p>`
  return html`<p>The rules above include the current defaults for everything the document does not set.</p>
    <h2>Document</h2>
    <p>
      The stored
      document.${seq === null ? '' : ' The digest in its ledger entry is computed over its canonical form (RFC 8785).'}
    </p>
    <pre class="message code">${JSON.stringify(document, null, 2)}</pre>`
}

function aboutVersion(one: PolicyVersion): [string, Part][] {
  const { version, at, seq } = one
  if (version === 1) return [['Set by', 'nobody (the defaults)']]
  return [
    ['Set', moment(at)],
    ['Set by', setByWords(one)],
    ...(one.note === null
      ? []
      : ([['Note', html`<bdi>${escapeInvisible(one.note)}</bdi>`]] as [string, Part][])),
    ...(one.restores === null
      ? []
      : ([['Restores', html`<a href="${path}/${one.restores}">version ${one.restores}</a>`]] as [
          string,
          Part,
        ][])),
    ...(seq === null
      ? []
      : ([['Ledger entry', html`<a class="number" href="${auditPath}/${seq}">${seq}</a>`]] as [
          string,
          Part,
        ][])),
  ]
}
