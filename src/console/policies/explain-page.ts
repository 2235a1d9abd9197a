import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { type Explained, explainPolicy, policyInForce } from '../../operations/admin/policy.ts'
import { html } from '../../transports/html.ts'
import { definePage } from '../page.ts'
import { problemOf } from '../parts.ts'
import { enteredQuestion, policiesPath } from './entered.ts'
import { type Question, explainForm, noQuestion, weightOf } from './explain.ts'

/** What the policy in force makes of an action. */
export const policyExplainPage = definePage({
  path: `${policiesPath}/explain`,
  role: 'admin',
  query: z.strictObject(enteredQuestion),
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
