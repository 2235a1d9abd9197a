import { z } from 'zod'
import { consentStrengths } from '../../gate/consent.ts'
import { type ToolRule, defaultToolRule, toolRules } from '../../gate/declared/tool-rule.ts'
import { tier } from '../../operations/entered-fields.ts'
import { parseInput } from '../../operations/parse.ts'
import type { ToolDetails } from '../../operations/upstreams/review.ts'
import { ruleDocument } from '../../operations/upstreams/rule-document.ts'
import { type Html, html } from '../../web/html.ts'
import { jsonDocument, optionally } from '../forms.ts'
import type { RejectedForm } from '../page.ts'
import { checkboxes, choice, textArea } from '../parts.ts'
import { consentChoices, hiddenFields, tierChoices } from '../policies/controls.ts'

/** The longest rule, as JSON. */
const upstreamRuleCharsMax = 20_000

/** The value of a rule that is written as a document. */
const byDocument = 'document'

/** The fields of a rule. */
export const ruleFields = {
  rule: z.enum([...toolRules, byDocument], 'must be one of the list'),
  tier: tier.optional(),
  consent: z.enum(consentStrengths, 'must be one of the list').optional(),
  is_idempotent: z.literal('on', 'must be on or absent').optional(),
  document: optionally(
    z.string().max(upstreamRuleCharsMax, `must have at most ${upstreamRuleCharsMax} characters`),
  ),
}

type RuleForm = z.output<z.ZodObject<typeof ruleFields>>

/** Whatever is wrong with a document is wrong in its field. */
export const ruleFieldOf = (param: string, values: Record<string, string>): string | undefined =>
  values['rule'] === byDocument && param !== 'digest' && param !== 'shown' ? 'document' : undefined

/** @throws GateError `invalid` */
export function ruleOf({ rule, tier: needed, consent, is_idempotent, document }: RuleForm): ToolRule {
  if (rule === byDocument) return parseInput(ruleDocument, jsonDocument(document ?? ''))
  return parseInput(ruleDocument, {
    rule,
    ...(rule === 'confirm' ? { requires: { tier: needed, consent } } : {}),
    ...(rule !== 'deny' && is_idempotent !== undefined ? { is_idempotent: true } : {}),
  })
}

/** The controls of a rule, with the rule in force. What was entered over another rule is not kept: saving it would undo that one. */
export function ruleControls(
  { rule, ruleDigest: shown }: Pick<ToolDetails, 'rule' | 'ruleDigest'>,
  refused: RejectedForm | undefined,
): Html {
  const rejected = (refused?.values['shown'] ?? shown) === shown ? refused : undefined
  const { requires } = rule
  const isPlain =
    !rule.amount && rule.subject === undefined && !rule.editable && !(requires && 'bands' in requires)
  const plain = requires && !('bands' in requires) ? requires : defaultToolRule.requires
  return html`${hiddenFields({ shown })}
    ${choice({
      name: 'rule',
      label: 'Rule',
      values: [
        ['allow', 'allow: pass calls on at once'],
        ['confirm', 'confirm: propose calls to the member'],
        ['deny', 'deny: refuse calls'],
        [byDocument, 'as the document below says'],
      ],
      value: isPlain ? rule.rule : byDocument,
      rejected,
    })}
    <div class="beside">
      ${choice({ name: 'tier', label: 'Tier, for confirm', values: tierChoices, value: plain.tier, rejected })}
      ${choice({ name: 'consent', label: 'Consent, for confirm', values: consentChoices, value: plain.consent, rejected })}
    </div>
    ${checkboxes({
      legend: 'Unknown outcome',
      hint: 'Only you can know whether a repeat does harm. The gate ignores what the server says about it.',
      boxes: [
        {
          name: 'is_idempotent',
          words: 'A call whose outcome is unknown may be repeated',
          isChecked: rule.is_idempotent === true,
        },
      ],
      rejected,
    })}
    ${textArea({
      name: 'document',
      label: 'Document',
      hint: 'The whole rule as JSON, with bands by amount, where the arguments have the amount and the subject, and which of them a member may change. It is read only if the rule is “as the document below says”.',
      rows: 8,
      isRequired: false,
      value: isPlain ? '' : JSON.stringify(rule, null, 2),
      rejected,
    })}`
}
