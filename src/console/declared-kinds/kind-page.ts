import { type Policy, ruleOfKind } from '../../gate/policy.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { policyInForce } from '../../operations/policy/policy-in-force.ts'
import { type KindVersion, kindHistory } from '../../operations/kinds/kind-history.ts'
import { declaredKindName } from '../../operations/kinds/kind-document.ts'
import { escapeInvisibleLines } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { type PageContext, accountOf, definePage, idIn } from '../page.ts'
import { facts, moment } from '../parts.ts'
import { kindPath as rulePath } from '../policies/form-schema.ts'
import { documentParts, ruleFacts } from './document-parts.ts'
import { declaredBy } from './list-page.ts'
import { kindPathOf, kindsPath } from './paths.ts'

/** One declared kind: its newest version, to read. */
export const kindPage = definePage({
  path: kindPathOf(':declared'),
  role: 'admin',
  async show(context) {
    const one = await newestIn(context)
    const policy = await policyInForce(context.deps, context.session.account)
    return {
      title: one.document.title,
      body: html`<p class="line">${stateBadge(one)} <code>${one.kind}</code></p>
        <p class="message">${escapeInvisibleLines(one.document.description)}</p>
        ${facts([...aboutVersion(one), ['Tool of agents', html`<code>propose_${one.kind}</code>`]])}
        ${actionsPart(one)} ${rulePart(one, policy)} ${documentParts(one.document)}
        <p class="pager"><a href="${kindsPath}">All declared kinds</a></p>`,
    }
  },
})

/** The newest version of the kind that the address names. @throws GateError `not_found` */
export async function newestIn(context: PageContext): Promise<KindVersion> {
  const { versions } = await kindHistory(accountOf(context), kindIn(context))
  return versions[0]!
}

export const kindIn = (context: PageContext): string => idIn(context, 'declared', declaredKindName)

const stateBadge = ({ retired_at: retiredAt }: KindVersion): Html =>
  retiredAt === null
    ? html`<span class="badge good">in force</span>`
    : html`<span class="badge over">retired</span>`

/** Since when a version is there, by whom, and whether it was retired. */
export const aboutVersion = (one: KindVersion): [string, Part][] => [
  [
    'Version',
    one.version === 1
      ? '1'
      : html`${one.version} <a href="${kindPathOf(one.kind)}/versions">All versions</a>`,
  ],
  ['Declared', moment(one.created_at)],
  ['Declared by', declaredBy(one)],
  ...(one.retired_at === null ? [] : ([['Retired', moment(one.retired_at)]] as [string, Part][])),
]

const actionsPart = ({ kind, document, retired_at: retiredAt }: KindVersion): Html =>
  html`<p class="actions">
    <a class="button primary" href="${kindPathOf(kind)}/change"
      >${retiredAt === null ? 'Change kind' : 'Declare again'}</a
    >
    ${
      document.executor.type === 'webhook'
        ? html`<a class="button" href="${kindPathOf(kind)}/secret">New secret</a>`
        : ''
    }
    ${retiredAt === null ? html`<a class="button" href="${kindPathOf(kind)}/retire">Retire kind</a>` : ''}
  </p>`

/** The rule that applies now. */
function rulePart({ kind, document, retired_at: retiredAt }: KindVersion, policy: Policy): Html {
  const set = retiredAt === null ? ruleOfKind(policy, kind) : undefined
  const rule = set ?? document.default_rule
  const isDefault = textOf(rule) === textOf(document.default_rule)
  const words =
    retiredAt === null
      ? isDefault
        ? html`The default rule of the document is in force.`
        : html`Your policy sets this rule, instead of the default of the document.`
      : html`The default rule of the document. No rule is in force while the kind is retired.`
  return html`<h2 id="rule">Rule</h2>
    <p>${words} ${retiredAt === null ? html`<a href="${rulePath(kind)}">Edit rule</a>` : ''}</p>
    <div class="rules">${facts(ruleFacts(kind, rule, document.expires_after_hours))}</div>`
}

const textOf = (rule: unknown): string => canonical(JSON.parse(JSON.stringify(rule)) as Json)
