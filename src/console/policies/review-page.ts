import { z } from 'zod'
import { GateError } from '../../errors.ts'
import type { Policy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { proposeRuleChange } from '../../operations/approval-rules/change-rule.ts'
import { policyInForce } from '../../operations/policy/policy-in-force.ts'
import { setPolicy } from '../../operations/policy/set-policy.ts'
import type { PolicyDocument } from '../../operations/policy/policy-document.ts'
import { problemsText } from '../../web/fields.ts'
import { html } from '../../web/html.ts'
import {
  type RejectedForm,
  type Redirect,
  type View,
  type PageContext,
  asAdmin,
  definePage,
} from '../page.ts'
import {
  formText,
  formDocument,
  formNote,
  formQuestion,
  policiesPath,
  reviewPath,
  settingsPart,
} from './form-schema.ts'
import { defaultQuestion } from './explain.ts'
import type { Fields } from './form-values.ts'
import { jsonView } from './json-page.ts'
import { fieldsOf, kindsNow, partView } from './part-page.ts'
import { type PolicyDraft, parseDraft } from './draft.ts'
import { basePolicy, onVersionConflict } from './version-conflict.ts'
import { questionView } from './question.ts'
import { reviewView } from './review.ts'
import { ceilingFields } from '../mandates/ceiling-fields.ts'
import { ceilingView } from '../mandates/ceiling-page.ts'
import { proposalsPath } from '../proposals/list-page.ts'
import { rulesToFields } from '../runner-rules/rule-fields.ts'
import { rulesView } from '../runner-rules/rules-page.ts'

const buttons = ['set', 'ask', 'edit', 'explain', 'review'] as const

/** Sets the reviewed policy, tests it, or returns to the form with it. */
export const policyReviewPage = definePage({
  path: reviewPath,
  role: 'admin',
  formBytesMax: limits.policyFormBytesMax,
  form: z.strictObject({
    do: z.enum(buttons, 'must be a button of the page'),
    version: formText,
    document: formDocument,
    restores: z
      .string()
      .regex(/^[1-9]\d{0,14}$/, 'must be a version')
      .optional(),
    note: formNote,
    ...formQuestion,
  }),
  async show(context, _query, rejected) {
    const draft = rejected && parseDraft(await kindsNow(context), rejected.values)
    if (!draft) return nothingToReview(rejected)
    return rejected.field === 'note'
      ? reviewView(context, draft, rejected)
      : editView(context, draft, { rejected })
  },
  async send(context, form) {
    const draft = parseDraft(await kindsNow(context), form as Fields)
    if (!draft)
      throw new GateError(
        'invalid',
        'The reviewed changes could not be read. Nothing was set. Edit the policy again.',
      )
    return onVersionConflict(
      context,
      () => buttonActions[form.do](context, draft, form as Fields),
      (inForce, problem) => conflictView(context, draft, { inForce, problem }),
    )
  },
})

/** What each button does with the draft. */
const buttonActions: Record<
  (typeof buttons)[number],
  (context: PageContext, draft: PolicyDraft, form: Fields) => Promise<Redirect | View>
> = {
  async set(context, { edit, note }) {
    await setPolicy({ ...asAdmin(context), kinds: context.deps.kinds }, edit, note)
    return { to: policiesPath, flash: 'policy_set' }
  },
  async ask({ deps, session }, { edit, note }) {
    const { id } = await proposeRuleChange(deps, session, edit, note)
    return { to: `${proposalsPath}/${id}`, flash: 'rule_change_asked' }
  },
  edit: (context, draft) => editView(context, draft, {}),
  explain: (context, draft, form) => questionView(context, draft, { ...defaultQuestion, ...form }),
  review: (context, draft) => reviewView(context, draft),
}

const nothingToReview = (rejected: RejectedForm | undefined): View => ({
  title: 'No changes to review',
  body: html`<p>
    ${rejected ? problemsText(rejected) : 'There are no changes to review.'}
    <a href="${policiesPath}">Open policy</a>
  </p>`,
})

/**
 * The form of a draft: that of the kind it changes, or the document where it changes several.
 * @param inForce  after a conflict: the version to continue from
 */
async function editView(
  context: PageContext,
  { edit, note }: PolicyDraft,
  { inForce, rejected }: { inForce?: Policy; rejected?: RejectedForm | undefined },
): Promise<View> {
  const now = inForce ?? (await policyInForce(context.deps, context.session.account))
  const { version, restores, ...document } = edit
  const base = inForce ?? (await basePolicy(context, now, version))
  const [part, ...others] = partsOf(document)
  if (part === undefined || others.length > 0 || restores !== undefined) {
    const shown = restores === undefined ? document : await restoredDocument(context, now, restores)
    return jsonView(now, { version: String(base.version), document: shown, note, rejected })
  }
  if (part === runnerPart)
    return rulesView(now, {
      fields: {
        ...rulesToFields(document.runner!, base.version),
        ...(note === undefined ? {} : { note }),
      },
      rejected,
    })
  if (part.startsWith(mandatesOf))
    return ceilingView(now, {
      kind: part.slice(mandatesOf.length),
      fields: {
        ...ceilingFields(Object.values(document.mandates!)[0] ?? undefined, base.version),
        ...(note === undefined ? {} : { note }),
      },
      rejected,
    })
  const kinds = await kindsNow(context)
  const fields = fieldsOf(kinds, applyDocument(base, document), part)
  return partView(kinds, {
    part,
    inForce: now,
    fields: { ...fields, ...(note === undefined ? {} : { note }) },
    rejected,
  })
}

/** The policy was set meanwhile. A restored version is compared with the new one; other drafts go back to their form. */
async function conflictView(
  context: PageContext,
  draft: PolicyDraft,
  { inForce, problem }: { inForce: Policy; problem: string },
): Promise<View> {
  const rejected = { problem, values: draft.note === undefined ? {} : { note: draft.note } }
  if (draft.edit.restores === undefined) return editView(context, draft, { inForce, rejected })
  const rebased = { ...draft, edit: { ...draft.edit, version: inForce.version } }
  return reviewView(context, rebased, rejected)
}

/** The kinds that a document sets, the settings if it sets one, the rules about tool calls, and the mandates of each kind. */
function partsOf({ kinds = {}, runner, mandates = {}, ...rest }: PolicyDocument): string[] {
  const hasSettings = Object.keys(rest).some((name) => name !== 'version')
  return [
    ...Object.keys(kinds),
    ...(hasSettings ? [settingsPart] : []),
    ...(runner === undefined ? [] : [runnerPart]),
    ...Object.keys(mandates).map((kind) => mandatesOf + kind),
  ]
}

const runnerPart = 'runner'
const mandatesOf = 'mandates of '

/** A version in full, as a document. */
async function restoredDocument(
  context: PageContext,
  inForce: Policy,
  version: number,
): Promise<PolicyDocument> {
  const { version: _, ...document } = await basePolicy(context, inForce, version)
  return document
}

const applyDocument = (policy: Policy, { kinds = {}, ...rest }: PolicyDocument): Policy => ({
  ...policy,
  ...rest,
  mandates: policy.mandates,
  version: policy.version,
  kinds: { ...policy.kinds, ...kinds },
})
