import { z } from 'zod'
import { posture } from '../../gate/posture.ts'
import { type Preset, presetWords, presets } from '../../gate/preset.ts'
import { policyInForce } from '../../operations/policy/policy-in-force.ts'
import { presetDocument } from '../../operations/policy/preset-document.ts'
import { type Html, html } from '../../web/html.ts'
import { definePage } from '../page.ts'
import { formProblem } from '../parts.ts'
import { policiesPath, presetPath } from './form-schema.ts'
import { reviewView } from './review.ts'

/** The policy presets: each choice leads to a review of its changes. */
export const policyPresetPage = definePage({
  path: presetPath,
  role: 'admin',
  form: z.strictObject({ preset: z.enum(presets, `must be one of ${presets.join(', ')}`) }),
  async show({ deps, session }, _query, rejected) {
    const inForce = await policyInForce(deps, session.account)
    // Version 1 is the default: nobody has chosen one.
    const isUnset = inForce.version === 1
    return {
      title: isUnset ? 'How much may agents do alone?' : 'Policy presets',
      body: html`${formProblem(rejected)}
        ${
          isUnset
            ? html`<p class="notice">
                Nobody has chosen yet: the default is in force, and the agent’s word is enough. Choose once;
                you can change every rule later.
              </p>`
            : ''
        }
        <p>
          A preset sets how strong the member’s consent must be. It does not change tiers, amounts, channels
          or limits.
        </p>
        <p>Allowed on the agent’s word alone: ${posture(inForce)}.</p>
        ${presetForm()}
        <p>
          ${
            isUnset
              ? html`<a href="/console">Decide later</a>`
              : html`<a href="${policiesPath}">Back to policy</a>`
          }
        </p>`,
    }
  },
  async send(context, { preset }) {
    const { document } = await presetDocument(context.deps, context.session.account, preset)
    return reviewView(context, { edit: document })
  },
})

/** The presets, each with a button that leads to its review. */
export const presetForm = (): Html =>
  html`<form method="post" action="${presetPath}">
    <dl class="facts">${presets.map((preset) => choiceOf(preset))}</dl>
    <p class="hint">Nothing is saved yet. The next page shows the changes before you set them.</p>
  </form>`

const choiceOf = (preset: Preset): Html =>
  html`<div>
    <dt>
      <button type="submit" class="quiet" name="preset" value="${preset}">Review ${preset}</button>
    </dt>
    <dd>${presetWords[preset]}</dd>
  </div>`
