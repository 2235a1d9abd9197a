import { z } from 'zod'
import { httpStatusOf } from '../../errors.ts'
import { isCurrency, parseAmount } from '../../gate/money.ts'
import type { Policy, Weight } from '../../gate/policy.ts'
import { runnerKind, runnerNames, runners } from '../../gate/runner-calls/tool-call.ts'
import { type Tier, tiers } from '../../gate/tier.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { issueWords } from '../../text/issue-words.ts'
import { limits } from '../../limits.ts'
import { type Explained, explainByPolicy } from '../../operations/policy/explain-policy.ts'
import {
  type CallQuestion,
  type ExplainedCall,
  explainCallByPolicy,
  folder,
  runnerName,
  toolInput,
  toolName,
} from '../../operations/runner-calls/explain-call.ts'
import type { RejectedForm } from '../../web/fields.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import type { PageContext, View } from '../page.ts'
import { eligibleWords } from './words.ts'
import { optionally } from '../forms.ts'
import { choice, facts, field, formProblem, textArea } from '../parts.ts'
import { prose } from '../../web/prose.ts'
import { type Choice, currencyChoices, hiddenFields, tierChoices } from './controls.ts'

/** The example action, as entered. `tool` and what follows: for a tool call. */
export type Question = Record<
  'kind' | 'amount' | 'currency' | 'tier' | 'tool' | 'input' | 'runner' | 'cwd',
  string
>
export const defaultQuestion: Question = {
  kind: '',
  amount: '',
  currency: 'usd',
  tier: 'guarded_write',
  tool: '',
  input: '',
  runner: 'claude',
  cwd: '',
}

/** The ruling of a policy, or the problem of the input. */
export type Answer = Explained | ExplainedCall | Problem
interface Problem {
  problem: string
  field: string
}

/** The ruling of a policy on an example action. */
export async function answerTo(
  { deps, session }: Pick<PageContext, 'deps' | 'session'>,
  policy: Policy,
  question: Question,
): Promise<Answer> {
  if (question.kind === runnerKind) {
    const call = callOf(question)
    return 'problem' in call ? call : explainCallByPolicy(policy, call)
  }
  const weight = weightOf(question)
  return 'problem' in weight ? weight : explainByPolicy(deps, session.account, policy, weight)
}

/** The HTTP status of a page that shows an answer. Pure. */
export const answerStatus = (answer: Answer | undefined): Pick<View, 'status'> =>
  answer && 'problem' in answer ? { status: httpStatusOf.invalid } : {}

const callFields = z.object({
  tier: z.enum(tiers, `must be one of ${tiers.join(', ')}`),
  tool: toolName,
  input: optionally(toolInput),
  runner: runnerName,
  cwd: optionally(folder),
})

function callOf(question: Question): CallQuestion | Problem {
  const parsed = callFields.safeParse(question, { reportInput: true })
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = String(issue!.path[0])
  return { problem: `${field} ${issueWords(issue!)}.`, field }
}

function weightOf({ kind, amount, currency, tier }: Question): (Weight & { tier: Tier }) | Problem {
  if (!tiers.some((known) => known === tier))
    return { problem: `tier must be one of ${tiers.join(', ')}.`, field: 'tier' }
  if (!isCurrency(currency))
    return { problem: 'currency must be a supported currency, such as usd.', field: 'currency' }
  const amountCents = amount.trim() === '' ? undefined : parseAmount(amount)
  if (amount.trim() !== '' && amountCents === undefined)
    return { problem: 'amount must be written like 100, 99.50 or 1,250.00.', field: 'amount' }
  return { kind, tier: tier as Tier, ...(amountCents === undefined ? {} : { amountCents, currency }) }
}

/** The form of a policy test, with the answer above it. */
export function explainForm(options: {
  method: 'get' | 'post'
  action: string
  hidden?: Record<string, string>
  kinds: string[]
  question: Question
  answer?: Answer | undefined
}): Html {
  const { method, action, hidden = {}, kinds, question, answer } = options
  const rejected = answer && 'problem' in answer ? { ...answer, values: question } : undefined
  return html`${answer ? answerPart(answer) : ''}
    <form method="${method}" action="${action}">
      ${hiddenFields(hidden)}
      <div class="pair">
        ${choice({ name: 'kind', label: 'Kind', values: kinds.map((k) => [k, k]), value: question.kind, rejected })}
        ${choice({ name: 'tier', label: 'Tier of the member', values: tierChoices, value: question.tier, rejected })}
        ${field({
          name: 'amount',
          label: 'Amount',
          isRequired: false,
          value: question.amount,
          hint: 'Only for kinds with money, such as 100 or 99.50.',
          charsMax: limits.policyFieldCharsMax,
          rejected,
        })}
        ${choice({ name: 'currency', label: 'Currency', values: currencyChoices, value: question.currency, rejected })}
      </div>
      ${kinds.includes(runnerKind) ? callPart(question, rejected) : ''}
      <button type="submit" ${method === 'post' ? html`name="do" value="explain"` : ''}>Test policy</button>
    </form>`
}

/** The fields of a tool call. */
const callPart = (question: Question, rejected: RejectedForm | undefined): Html =>
  html`<details ${question.kind === runnerKind ? html`open` : ''}>
    <summary>Tool call, for ${runnerKind}</summary>
    <div class="pair">
      ${field({
        name: 'tool',
        label: 'Tool',
        isRequired: false,
        value: question.tool,
        hint: 'The name that the runner uses, such as Bash.',
        charsMax: limits.runnerToolCharsMax,
        rejected,
      })}
      ${choice({ name: 'runner', label: 'Runner', values: runnerChoices, value: question.runner, rejected })}
      ${field({
        name: 'cwd',
        label: 'Working folder',
        isRequired: false,
        value: question.cwd,
        hint: 'The folder of the call, such as /home/ada/project.',
        charsMax: limits.exampleInputCharsMax,
        rejected,
      })}
    </div>
    ${textArea({
      name: 'input',
      label: 'Input',
      isRequired: false,
      value: question.input,
      hint: 'The input as JSON, such as {"command":"git status"}.',
      rows: 2,
      rejected,
    })}
  </details>`

const runnerChoices: Choice[] = runners.map((runner) => [runner, runnerNames[runner]])

function answerPart(answer: Answer): Part {
  if ('problem' in answer) return formProblem({ ...answer, values: {} })
  const { allowed, rule } = answer
  const ofDay = 'limits' in answer ? answer.limits : undefined
  return html`<div role="status">
    ${facts([
      [
        'Result',
        allowed ? html`<span class="badge good">allowed</span>` : html`<span class="badge bad">denied</span>`,
      ],
      ['Rule', prose(rule)],
      ...('matched_on' in answer && answer.matched_on !== undefined
        ? [['Matched on', html`<code>${escapeInvisible(answer.matched_on)}</code>`] as [string, Part]]
        : []),
      ...('effect' in answer ? [['Effect', answer.effect] as [string, Part]] : []),
      ['Consent', consentPart(answer)],
      ...('approvals' in answer && answer.approvals
        ? [['Approvals of others', answer.approvals.join('; ')] as [string, Part]]
        : []),
      ...('approvers' in answer && answer.approvers
        ? [['Can approve now', eligibleWords(answer.approvers)] as [string, Part]]
        : []),
      ...(ofDay ? [['Limits per 24 hours', html`${ofDay.join('; ')}`] as [string, Part]] : []),
    ])}
  </div>`
}

function consentPart(answer: Explained | ExplainedCall): Part {
  if (answer.consent !== null) return html`at least ${answer.consent}`
  const isAllowedCall = 'decision' in answer && answer.allowed
  return html`<span class="none">${isAllowedCall ? 'none' : 'not applicable'}</span>`
}
