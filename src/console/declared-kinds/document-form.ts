import { html } from '../../web/html.ts'
import type { RejectedForm, View } from '../page.ts'
import { formProblem, textArea } from '../parts.ts'
import { kindPathOf, kindsPath, newKindPath } from './paths.ts'

interface DocumentForm {
  /** The kind that is changed; absent: another one is declared. */
  kind?: string | undefined
  /** What the field holds; absent: an example. */
  text?: string | undefined
  /** The text above the form. */
  about?: string
  rejected?: RejectedForm | undefined
}

/** The form of a document. What was entered stands in it again, as it was entered. */
export function documentView({ kind, text = example, about, rejected }: DocumentForm): View {
  const [path, back] =
    kind === undefined ? [newKindPath, kindsPath] : [`${kindPathOf(kind)}/change`, kindPathOf(kind)]
  return {
    title: kind === undefined ? 'Declare a kind' : `Change ${kind}`,
    body: html`${formProblem(rejected)} ${about === undefined ? '' : html`<p>${about}</p>`}
      <p>
        The next page shows what changes and the decision card. Nothing is stored before you confirm there.
      </p>
      <form method="post" action="${path}">
        ${textArea({
          name: 'document',
          label: 'Document',
          hint: 'A JSON document with the payload, the lines of the card, the default rule and the executor.',
          rows: 24,
          value: text,
          rejected,
        })}
        <p class="actions">
          <button type="submit">Review document</button>
          <a class="button" href="${back}">Go back</a>
        </p>
      </form>`,
  }
}

const example = JSON.stringify(
  {
    kind: 'customer_deletion',
    title: 'Delete a customer',
    description: 'Delete a customer and everything that belongs to them. It cannot be undone.',
    payload: {
      type: 'object',
      properties: { customer: { type: 'string', maxLength: 40 } },
      required: ['customer'],
    },
    subject: '/customer',
    card: [{ label: 'Customer', value: '/customer', format: 'text' }],
    default_rule: { tier: 'write', consent: 'page' },
    executor: { type: 'claim', lease_minutes: 10 },
  },
  null,
  2,
)
