import { z } from 'zod'
import { policyInForce } from '../../operations/policy/policy-in-force.ts'
import { html } from '../../web/html.ts'
import { definePage } from '../page.ts'
import { formQuestion, policiesPath } from './form-schema.ts'
import { type Question, answerTo, explainForm, defaultQuestion, answerStatus } from './explain.ts'

/** Tests the policy in force with an example action. */
export const policyExplainPage = definePage({
  path: `${policiesPath}/explain`,
  role: 'admin',
  query: z.strictObject(formQuestion),
  async show(context, query) {
    const question: Question = { ...defaultQuestion, ...(query as Partial<Question>) }
    const inForce = await policyInForce(context.deps, context.session.account)
    const answer = question.kind === '' ? undefined : await answerTo(context, inForce, question)
    return {
      ...answerStatus(answer),
      title: 'Policy test',
      body: html`<p>
          Test how version ${inForce.version}, which is in force, rules on an action. Nothing is recorded.
        </p>
        ${explainForm({
          method: 'get',
          action: `${policiesPath}/explain`,
          kinds: Object.keys(inForce.kinds).toSorted(),
          question,
          answer,
        })}
        <p><a href="${policiesPath}">Back to policy</a></p>`,
    }
  },
})
