import { z } from 'zod'
import type { Policy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { parsePolicyDocument } from '../../operations/policy/parse-policy-document.ts'
import { policyInForce } from '../../operations/policy/policy-in-force.ts'
import { html } from '../../web/html.ts'
import { type PageContext, type Redirect, type RejectedForm, type View, definePage } from '../page.ts'
import { formProblem } from '../parts.ts'
import { toolCallsPath } from '../policies/form-schema.ts'
import type { Fields } from '../policies/form-values.ts'
import { reviewOf } from '../policies/review.ts'
import { basePolicy, onVersionConflict } from '../policies/version-conflict.ts'
import {
  fieldOfRule,
  fieldsToRules,
  moveRule,
  requireKnownFields,
  rowsOf,
  rowsToFields,
  rulesToFields,
} from './rule-fields.ts'
import { rulesForm } from './rule-form.ts'
import { matchHint } from './rules-table.ts'

/** A field of the form of a rule about tool calls: its conditions can be long. */
const ruleFormCharsMax = 20_000

const ruleText = z.string().max(ruleFormCharsMax, `must have at most ${ruleFormCharsMax} characters`)

/** The rules about tool calls of agent runners, as a form. */
export const runnerRulesPage = definePage({
  path: toolCallsPath,
  role: 'admin',
  formBytesMax: limits.policyFormBytesMax,
  form: z.object({}).catchall(ruleText),
  fieldOf: fieldOfRule,
  async show({ deps, session }, _query, rejected) {
    const inForce = await policyInForce(deps, session.account)
    return rulesView(inForce, {
      fields: rejected?.values ?? rulesToFields(inForce.runner, inForce.version),
      rejected,
    })
  },
  send: (context, form) => reviewRules(context, form as Fields),
})

async function reviewRules(context: PageContext, fields: Fields): Promise<View | Redirect> {
  requireKnownFields(fields)
  const inForce = await policyInForce(context.deps, context.session.account)
  const moved = moveRule(fields)
  if (moved) return rulesView(inForce, { fields: moved })
  const edit = parsePolicyDocument(context.deps.kinds.own, {
    version: Number(fields['version']),
    runner: fieldsToRules(fields),
  })
  return onVersionConflict(
    context,
    () => reviewOf(context, inForce, { edit, note: fields['note'] }),
    async (now, problem) => {
      const base = await basePolicy(context, now, Number(fields['version']))
      return rulesView(now, {
        fields: rebased(fields, base, now),
        rejected: { problem, values: {} },
      })
    },
  )
}

/** The form with the given values. */
export function rulesView(
  inForce: Policy,
  { fields, rejected }: { fields: Fields; rejected?: RejectedForm | undefined },
): View {
  return {
    title: 'Edit rules about tool calls',
    body: html`${formProblem(rejected)}
      <p>
        Version ${inForce.version} is in force. The first rule that matches a tool call of an agent runner
        decides it. The next page shows the changes before you set them.
      </p>
      <p class="hint">
        Tool: the name that the runner gives it, such as Bash, or a pattern. Match: ${matchHint}
      </p>
      ${rulesForm(fields, rejected)}`,
  }
}

/** What was entered, over the version that was set in the meantime; the rules of that version where nothing was changed. */
function rebased(filled: Fields, base: Policy, now: Policy): Fields {
  const current = rulesToFields(now.runner, now.version)
  const before = rulesToFields(base.runner, base.version)
  const textOf = (fields: Fields) => JSON.stringify([rowsToFields(rowsOf(fields)), fields['record']])
  if (textOf(filled) === textOf(before)) return current
  return { ...filled, version: current['version']! }
}
