import { type NamedKind, listKinds } from '../../operations/kinds/kind-history.ts'
import { type Part, html } from '../../web/html.ts'
import { accountOf, definePage } from '../page.ts'
import { breakable, empty, moment, rowLink, table } from '../parts.ts'
import { kindPath as rulePath } from '../policies/form-schema.ts'
import { setByWords } from '../policies/words.ts'
import { kindPathOf, kindsPath, newKindPath } from './paths.ts'

/** The kinds of action that the account declared; retired ones below. */
export const kindsPage = definePage({
  path: kindsPath,
  role: 'admin',
  async show(context) {
    const kinds = await listKinds(accountOf(context))
    const inForce = kinds.filter(({ retired_at }) => retired_at === null)
    const retired = kinds.filter(({ retired_at }) => retired_at !== null)
    return {
      title: 'Declared kinds',
      body: html`<p>
          Kinds of action of your own, each described in a document. Agents can propose them at once, with the
          same consent, limits and ledger as a broadcast or a refund. The
          <a href="/console/policies">policy</a>
          has a rule for each.
        </p>
        <p><a class="button primary" href="${newKindPath}">Declare kind</a></p>
        ${
          inForce.length === 0
            ? empty(html`No kinds in force. <a href="${newKindPath}">Declare a kind</a>.`)
            : table(
                'Kinds in force',
                ['Title', 'Name', 'Version', 'Executor', 'Declared', 'By', 'Actions'],
                inForce.map((one) => [
                  ...columnsOf(one),
                  moment(one.created_at),
                  declaredBy(one),
                  html`${rowLink(`${kindPathOf(one.kind)}/change`, 'Change', one.kind)}
                  ${rowLink(rulePath(one.kind), 'Rule', one.kind)}
                  ${rowLink(`${kindPathOf(one.kind)}/retire`, 'Retire', one.kind)}`,
                ]),
              )
        }
        ${retired.length === 0 ? '' : retiredPart(retired)}`,
    }
  },
})

const columnsOf = ({ kind, version, document }: NamedKind): Part[] => [
  html`<a href="${kindPathOf(kind)}">${document.title}</a>`,
  html`<code>${breakable(kind)}</code>`,
  version,
  document.executor.type,
]

/** Who declared a version. */
export const declaredBy = ({ created_by: by, byName }: Pick<NamedKind, 'created_by' | 'byName'>): Part =>
  setByWords({ by, byName })

const retiredPart = (retired: NamedKind[]): Part =>
  html`<h2>Retired</h2>
    <p>A retired kind cannot be proposed or confirmed. Declare it again to put it in force.</p>
    ${table(
      'Retired kinds',
      ['Title', 'Name', 'Version', 'Executor', 'Retired', 'Actions'],
      retired.map((one) => [
        ...columnsOf(one),
        moment(one.retired_at),
        rowLink(`${kindPathOf(one.kind)}/change`, 'Declare again', one.kind),
      ]),
    )}`
