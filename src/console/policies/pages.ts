import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { type Policy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import {
  type Explained,
  defaultRules,
  explainPolicy,
  floorsFor,
  parsePolicyDocument,
  policyInForce,
  setPolicy,
} from '../../operations/admin/policy.ts'
import { type PolicyDocument } from '../../operations/admin/policy-document.ts'
import { policyVersion } from '../../operations/admin/policy-history.ts'
import { onlyChanges } from '../../operations/admin/policy-review.ts'
import { html } from '../../transports/html.ts'
import { type Again, type View, type Visit, asAdmin, definePage } from '../page.ts'
import { problemOf, textArea } from '../parts.ts'
import { hiddenFields } from './controls.ts'
import { type Question, explainForm, noQuestion, weightOf } from './explain.ts'
import { type Fields, documentOfFields, fieldsOfPolicy, rebased } from './form-fields.ts'
import { policyForm } from './form-html.ts'
import { reviewPath, reviewView } from './review.ts'

export const policiesPath = '/console/policies'
const entered = z
  .string()
  .max(limits.policyFieldCharsMax, `must have at most ${limits.policyFieldCharsMax} characters`)
const question = { kind: entered, amount: entered, currency: entered, tier: entered }

/** The policy in force, as a form. */
export const policiesPage = definePage({
  path: policiesPath,
  role: 'admin',
  formBytesMax: limits.policyFormBytesMax,
  async show(visit, _query, again) {
    const inForce = await policyInForce(visit.deps, visit.session.account)
    return formView(
      visit,
      inForce,
      again ? await filledAgain(visit, inForce, again) : fieldsOfPolicy(inForce),
      again,
    )
  },
  form: z.object({}).catchall(entered),
  async send(visit, form) {
    const fields = form as Fields
    const inForce = await policyInForce(visit.deps, visit.session.account)
    if (fields['do'] === 'more') return formView(visit, inForce, fields, undefined, true)
    const document = documentOfFields(fields, Object.keys(defaultRules(visit.deps)))
    return reviewOf(visit, inForce, parsePolicyDocument(visit.deps, document))
  },
})

/** Sets what was reviewed, asks it something, or leads back to the form with it. */
export const policyReviewPage = definePage({
  path: reviewPath,
  role: 'admin',
  formBytesMax: limits.policyFormBytesMax,
  form: z.strictObject({
    do: z.enum(['set', 'edit', 'explain'], 'must be a button of the page'),
    version: entered,
    document: z.string().max(limits.policyDocumentCharsMax, 'is too long for a policy'),
    ...Object.fromEntries(Object.entries(question).map(([name, field]) => [name, field.optional()])),
  }),
  async show(visit, _query, again) {
    const inForce = await policyInForce(visit.deps, visit.session.account)
    if (!again) return nothingToReview
    const held = heldDocument(visit, again.filled)
    return formView(
      visit,
      inForce,
      held ? fieldsOfPolicy(laidOver(inForce, held)) : fieldsOfPolicy(inForce),
      again,
    )
  },
  async send(visit, form) {
    const { deps, session } = visit
    const held = heldDocument(visit, form as Fields)
    if (!held) throw new GateError('invalid', 'What was reviewed could not be read: change it again.')
    if (form.do === 'edit') {
      const inForce = await policyInForce(deps, session.account)
      return formView(visit, inForce, fieldsOfPolicy(laidOver(inForce, held)))
    }
    if (form.do === 'explain')
      return reviewView(visit, held, { ...noQuestion, ...(form as Partial<Question>) })
    await setPolicy({ ...asAdmin(visit), kinds: deps.kinds }, held)
    return { to: policiesPath, said: 'policy_set' }
  },
})

/** The same for those who have the document as JSON. */
export const policyJsonPage = definePage({
  path: `${policiesPath}/json`,
  role: 'admin',
  formBytesMax: limits.policyFormBytesMax,
  form: z.strictObject({
    version: entered,
    document: z.string().max(limits.policyDocumentCharsMax, 'is too long for a policy'),
  }),
  async show({ deps, session }, _query, again) {
    const inForce = await policyInForce(deps, session.account)
    return {
      title: 'Policy as JSON',
      body: html`${problemOf(again)}
        <p>
          The kinds that the document names are replaced, the others stay, as with
          <code>gate policy set</code>. The next page shows what would change.
        </p>
        <form method="post">
          ${hiddenFields({ version: String(inForce.version) })}
          ${textArea({
            name: 'document',
            label: 'Document',
            rows: 24,
            value: JSON.stringify(inForce, null, 2),
            again,
          })}
          <p class="actions">
            <button type="submit">Review the changes</button>
            <a class="button" href="${policiesPath}">Back to the form</a>
          </p>
        </form>`,
    }
  },
  async send(visit, { version, document }) {
    const given = parsePolicyDocument(visit.deps, jsonOf(document))
    const inForce = await policyInForce(visit.deps, visit.session.account)
    return reviewOf(visit, inForce, { version: Number(version), ...given })
  },
})

/** What the policy in force makes of an action. */
export const policyExplainPage = definePage({
  path: `${policiesPath}/explain`,
  role: 'admin',
  query: z.strictObject(
    Object.fromEntries(Object.entries(question).map(([name, field]) => [name, field.optional()])),
  ),
  async show({ deps, session }, query) {
    const asked: Question = { ...noQuestion, ...(query as Partial<Question>) }
    const inForce = await policyInForce(deps, session.account)
    const answer =
      asked.kind === ''
        ? undefined
        : await answerTo(() => explainPolicy(deps, session.account, weightOf(asked)))
    const problem = answer && 'problem' in answer ? answer : undefined
    return {
      ...(problem ? { status: 422 } : {}),
      title: 'Ask the policy',
      body: html`${problemOf(problem && { ...problem, filled: {} })}
        <p>What version ${inForce.version}, which is in force, makes of an action: no row is made.</p>
        ${explainForm({
          method: 'get',
          action: `${policiesPath}/explain`,
          kinds: Object.keys(inForce.kinds).toSorted(),
          question: asked,
          answer: answer && 'rule' in answer ? answer : undefined,
        })}
        <p><a href="${policiesPath}">Back to the policy</a></p>`,
    }
  },
})

/** What the policy says; where the question cannot be read, that. */
async function answerTo(ask: () => Promise<Explained>): Promise<Explained | { problem: string }> {
  try {
    return await ask()
  } catch (error) {
    if (error instanceof GateError && error.code === 'invalid') return { problem: error.message }
    throw error
  }
}

async function reviewOf(visit: Visit, inForce: Policy, document: PolicyDocument): Promise<View> {
  const changes = onlyChanges(inForce, document)
  const { version: _, ...settings } = changes
  // An older version is told first: what it does not change may be a change by now.
  if (Object.keys(settings).length === 0 && document.version === inForce.version)
    throw new GateError('invalid', 'That is the policy in force already: change something first.')
  return reviewView(visit, changes)
}

function formView(visit: Visit, inForce: Policy, fields: Fields, again?: Again, wantsMore = false): View {
  return {
    title: 'Policy',
    body: html`${problemOf(again)}
      <p>
        Version ${inForce.version} is in force: which tier each kind of action needs, and how strong the
        member’s consent has to be. <a href="${policiesPath}/history">Earlier versions</a> ·
        <a href="${policiesPath}/explain">Ask it</a> · <a href="${policiesPath}/json">Edit as JSON</a>
      </p>
      ${policyForm({
        rules: defaultRules(visit.deps),
        floors: (kind) => floorsFor(visit.deps, kind),
        fields,
        wantsMore,
      })}`,
  }
}

/** What was filled in, on top of what others set meanwhile. */
async function filledAgain(visit: Visit, inForce: Policy, { filled }: Again): Promise<Fields> {
  const version = Number(filled['version'])
  if (version === inForce.version || !Number.isSafeInteger(version) || version < 1) return filled
  const base = await policyVersion(visit.deps, visit.session.account, version).catch(() => undefined)
  return rebased(filled, fieldsOfPolicy(base?.policy ?? inForce), fieldsOfPolicy(inForce))
}

const nothingToReview: View = {
  title: 'Nothing to review',
  body: html`<p>
    A change is reviewed right after it was made. <a href="${policiesPath}">Go to the policy</a> and change
    something.
  </p>`,
}

function heldDocument({ deps }: Visit, fields: Fields): PolicyDocument | undefined {
  try {
    const document = parsePolicyDocument(deps, JSON.parse(fields['document'] ?? ''))
    return { ...document, version: Number(fields['version']) }
  } catch {
    return undefined
  }
}

const laidOver = (inForce: Policy, { kinds = {}, ...rest }: PolicyDocument): Policy => ({
  ...inForce,
  ...rest,
  version: inForce.version,
  kinds: { ...inForce.kinds, ...kinds },
})

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new GateError('invalid', `document is no JSON: ${(error as Error).message}.`)
  }
}
