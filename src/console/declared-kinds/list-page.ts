import { type KindVersionRow, readKinds } from '../../operations/kinds/declared-kinds.ts'
import { type Part, html } from '../../web/html.ts'
import { accountOf, definePage } from '../page.ts'
import { empty, moment, rowLink, table } from '../parts.ts'
import { kindPath as rulePath } from '../policies/form-schema.ts'
import { declareKindPath, declaredKindsPath } from './paths.ts'

/** The kinds of action that the account declared; retired ones below. */
export const declaredKindsPage = definePage({
  path: declaredKindsPath,
  role: 'admin',
  async show(context) {
    const kinds = await readKinds(accountOf(context))
    const inForce = kinds.filter(({ retired_at }) => retired_at === null)
    const retired = kinds.filter(({ retired_at }) => retired_at !== null)
    return {
      title: 'Declared kinds',
      body: html`<p>
          Kinds of action of your own, each described in a document. Agents can propose them at once; the rule
          of each is on the page <a href="/console/policies">Policy</a>.
        </p>
        <p><a class="button primary" href="${declareKindPath}">Declare kind</a></p>
        ${
          inForce.length === 0
            ? empty(html`No declared kinds. <a href="${declareKindPath}">Declare a kind</a>.`)
            : table(
                'Declared kinds',
                ['Title', 'Version', 'Executor', 'Declared', 'Actions'],
                inForce.map((one) => [
                  ...columnsOf(one),
                  moment(one.created_at),
                  html`${rowLink(`${declaredKindsPath}/${one.kind}`, 'Edit', one.kind)}
                  ${rowLink(rulePath(one.kind), 'Rule', one.kind)}
                  ${rowLink(`${declaredKindsPath}/${one.kind}/retire`, 'Retire', one.kind)}`,
                ]),
              )
        }
        ${retired.length === 0 ? '' : retiredPart(retired)}`,
    }
  },
})

const columnsOf = ({ kind, version, document }: KindVersionRow): Part[] => [
  html`${document.title} <code class="hint">${kind}</code>`,
  version,
  document.executor.type,
]

const retiredPart = (retired: KindVersionRow[]): Part =>
  html`<h2>Retired</h2>
    <p>A retired kind cannot be proposed or confirmed. Declare it again to put it in force.</p>
    ${table(
      'Retired kinds',
      ['Title', 'Version', 'Executor', 'Retired', 'Actions'],
      retired.map((one) => [
        ...columnsOf(one),
        moment(one.retired_at),
        rowLink(`${declaredKindsPath}/${one.kind}`, 'Declare again', one.kind),
      ]),
    )}`
