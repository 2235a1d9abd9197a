import { z } from 'zod'
import { reviewDigest } from '../../operations/upstreams/fields.ts'
import { type ToolDetails, approveReview, changedBackWords } from '../../operations/upstreams/review.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { type RejectedForm, asAdmin, definePage } from '../page.ts'
import { facts, formProblem } from '../parts.ts'
import { hiddenFields } from '../policies/controls.ts'
import { foreignDifference } from './foreign-text.ts'
import { toolPathOf } from './paths.ts'
import { ruleControls, ruleFieldOf, ruleFields, ruleOf } from './rule-form.ts'
import { definitionPart, toolFacts, toolIn } from './tool-page.ts'
import { isWaiting, ruleFacts, stateBadge, stateWords } from './tool-parts.ts'

/** The review of a tool: its button approves exactly the definition that is shown, and sets the rule with it. */
export const toolReviewPage = definePage({
  path: `${toolPathOf(':upstream', ':tool')}/review`,
  role: 'admin',
  form: z.strictObject({ digest: reviewDigest, shown: reviewDigest, ...ruleFields }),
  fieldOf: ruleFieldOf,
  async show(context, _query, rejected) {
    const { upstream, tool } = await toolIn(context)
    if (!isWaiting(tool) && !rejected)
      return {
        title: `${tool.name} needs no review`,
        body: html`<p class="line">${stateBadge(tool)}</p>
          <p><a href="${toolPathOf(upstream, tool.tool)}">Back to ${tool.name}</a></p>`,
      }
    return {
      title: `Review of ${tool.name}`,
      body: html`${formProblem(rejected)}
        <p class="line">${stateBadge(tool)} ${stateWords[tool.state]}</p>
        <p>
          Read it as you would read code from an unknown sender: a description can hold instructions for the
          model. Nothing is approved until you press the button at the end of this page.
        </p>
        ${facts(await toolFacts(context, tool))} ${differencePart(upstream, tool)}
        <h2 id="definition">Definition now</h2>
        ${definitionPart(upstream, tool)} ${approvalPart(upstream, tool, rejected)}`,
    }
  },
  async send(context, { digest, shown, ...fields }) {
    const { upstream, tool } = await toolIn(context)
    const set = { rule: ruleOf(fields), shown }
    await approveReview(asAdmin(context), upstream, { only: tool.tool, digest, set })
    return { to: toolPathOf(upstream, tool.tool), flash: 'tool_approved' }
  },
})

/** What changed since the review; nothing of a tool that nobody reviewed. */
function differencePart(upstream: string, { reviewed_at: reviewedAt, lines }: ToolDetails): Part {
  if (reviewedAt === null) return ''
  return html`<h2 id="changes">Changed since its review</h2>
    ${lines.length === 0 ? html`<p>${changedBackWords}</p>` : foreignDifference(upstream, lines)}`
}

const approvalPart = (upstream: string, tool: ToolDetails, rejected: RejectedForm | undefined): Html =>
  html`<h2 id="approval">Approval</h2>
    <p>The approval stands for exactly the definition above, and sets this rule with it.</p>
    ${facts(ruleFacts(tool).slice(0, 1))}
    <form method="post">
      ${hiddenFields({ digest: tool.digest })} ${ruleControls(tool, rejected)}
      <p class="actions">
        <button type="submit">Approve this definition</button>
        <a class="button" href="${toolPathOf(upstream, tool.tool)}">Go back</a>
      </p>
    </form>`
