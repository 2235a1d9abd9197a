import { z } from 'zod'
import { posture } from '../../gate/posture.ts'
import { type Preset, presetWords, presets } from '../../gate/preset.ts'
import { policyInForce, presetDocument } from '../../operations/admin/policy.ts'
import { type Html, html } from '../../web/html.ts'
import { definePage } from '../page.ts'
import { formProblem } from '../parts.ts'
import { policiesPath, presetPath } from './form-schema.ts'
import { reviewView } from './review.ts'

/** How much the agent's word alone may do: each choice leads to the review of what it changes. */
export const policyPresetPage = definePage({
  path: presetPath,
  role: 'admin',
  form: z.strictObject({ preset: z.enum(presets, `must be one of ${presets.join(', ')}`) }),
  async show({ deps, session }, _query, rejected) {
    const inForce = await policyInForce(deps, session.account)
    return {
      title: 'Policy presets',
      body: html`${formProblem(rejected)}
        <p>
          A preset sets how strong the member’s consent has to be. Tiers, amounts, channels and limits stay as
          they are.
        </p>
        <p>Agent’s word alone, now: ${posture(inForce)}.</p>
        ${presetForm()}
        <p><a href="${policiesPath}">Back to the policy</a></p>`,
    }
  },
  async send(context, { preset }) {
    const { document } = await presetDocument(context.deps, context.session.account, preset)
    return reviewView(context, document)
  },
})

/** The choices, each with a button that leads to its review. */
export const presetForm = (): Html =>
  html`<form method="post" action="${presetPath}">
    <dl class="facts">${presets.map((preset) => choiceOf(preset))}</dl>
    <p class="hint">Nothing is set yet: the next page shows what would change, and sets it.</p>
  </form>`

const choiceOf = (preset: Preset): Html =>
  html`<div>
    <dt><button type="submit" class="quiet" name="preset" value="${preset}">Review ${preset}</button></dt>
    <dd>${presetWords[preset]}</dd>
  </div>`
