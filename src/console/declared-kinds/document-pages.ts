import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { type KindVersionRow, addKind, readKind } from '../../operations/kinds/declared-kinds.ts'
import { declaredKindName } from '../../operations/kinds/kind-document.ts'
import { html } from '../../web/html.ts'
import {
  type PageContext,
  type Redirect,
  type RejectedForm,
  type View,
  accountOf,
  asAdmin,
  definePage,
  idIn,
} from '../page.ts'
import { formProblem, textArea } from '../parts.ts'
import { declareKindPath, declaredKindsPath } from './paths.ts'

const form = z.strictObject({
  document: z
    .string()
    .max(limits.kindDocumentCharsMax, `must have at most ${limits.kindDocumentCharsMax} characters`),
})
// Whatever is wrong with the document is wrong in its field.
const page = {
  role: 'admin',
  form,
  formBytesMax: limits.policyFormBytesMax,
  fieldOf: () => 'document',
} as const

/** Declares a kind. */
export const declareKindPage = definePage({
  ...page,
  path: declareKindPath,
  show: async (_context, _query, rejected) =>
    documentView({ title: 'Declare a kind', value: example, rejected }),
  send: (context, { document }) => declare(context, document),
})

/** The document of a kind, to read, and to declare its next version. */
export const declaredKindPage = definePage({
  ...page,
  path: `${declaredKindsPath}/:declared`,
  async show(context, _query, rejected) {
    const kind = await kindIn(context)
    const state = kind.retired_at === null ? 'is in force' : 'is retired'
    return documentView({
      title: `Kind ${kind.kind}`,
      value: JSON.stringify(kind.document, null, 2),
      rejected,
      about: `Version ${kind.version} ${state}. Proposals that are open keep the version that they were proposed with.`,
    })
  },
  async send(context, { document }) {
    const { kind } = await kindIn(context)
    return declare(context, document, kind)
  },
})

/** The kind that the address names. @throws GateError `not_found` */
export const kindIn = async (context: PageContext): Promise<KindVersionRow> =>
  readKind(accountOf(context), idIn(context, 'declared', declaredKindName))

async function declare(context: PageContext, text: string, kind?: string): Promise<Redirect> {
  const document = jsonOf(text)
  const named = (document as { kind?: unknown } | null)?.kind
  if (kind !== undefined && named !== kind)
    throw new GateError(
      'invalid',
      `document must keep the kind ${kind}. Declare another kind on a page of its own.`,
      {
        param: 'document',
      },
    )
  const { isNew } = await addKind(asAdmin(context), document, context.deps.executors.allowed)
  return { to: declaredKindsPath, flash: isNew ? 'kind_declared' : 'kind_unchanged' }
}

function documentView(given: {
  title: string
  value: string
  rejected: RejectedForm | undefined
  about?: string
}): View {
  const { title, value, rejected, about } = given
  return {
    title,
    body: html`${formProblem(rejected)} ${about === undefined ? '' : html`<p>${about}</p>`}
      <form method="post">
        ${textArea({
          name: 'document',
          label: 'Document',
          hint: 'JSON: the payload, the card, the default rule and the executor.',
          rows: 24,
          value,
          rejected,
        })}
        <p class="actions">
          <button type="submit">Declare kind</button>
          <a class="button" href="${declaredKindsPath}">Go back</a>
        </p>
      </form>`,
  }
}

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new GateError('invalid', `document is not valid JSON: ${(error as Error).message}.`, {
      param: 'document',
    })
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
