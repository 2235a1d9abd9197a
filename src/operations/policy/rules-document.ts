import { z } from 'zod'
import { requestedStrengths } from '../../gate/consent.ts'
import { callFields } from '../../gate/runner-calls/rules.ts'
import { tiers } from '../../gate/tier.ts'
import { limits } from '../../limits.ts'
import { line } from '../entered-fields.ts'

const pattern = z
  .string('must be a text')
  .min(1, 'must not be empty')
  .max(limits.rulePatternCharsMax, `must have at most ${limits.rulePatternCharsMax} characters`)

const values = z
  .array(pattern)
  .min(1, 'must have at least one value')
  .max(limits.ruleValuesMax, `must have at most ${limits.ruleValuesMax} values`)

// One object and a text, not a union of three: the error of a union would not name the wrong field.
const fieldPattern = z.union(
  [pattern, z.strictObject({ prefix: pattern }), z.strictObject({ one_of: values })],
  'must be a pattern, {"prefix": …} or {"one_of": […]}',
)

// Not a schema of the names: its error would not say what a name must be.
const match = z
  .record(z.string(), fieldPattern)
  .refine(
    (fields) => Object.keys(fields).length <= limits.ruleFieldsMax,
    `must have at most ${limits.ruleFieldsMax} fields`,
  )
  .superRefine((fields, context) => {
    for (const name of Object.keys(fields)) {
      const problem = problemOfName(name)
      if (problem !== undefined) context.addIssue({ code: 'custom', path: [name], message: problem })
    }
  })

function problemOfName(name: string): string | undefined {
  if (name === '') return 'must have a name'
  if (name.length > limits.ruleFieldCharsMax)
    return `must have a name of at most ${limits.ruleFieldCharsMax} characters`
  const isKnown = !name.startsWith('@') || (callFields as readonly string[]).includes(name)
  return isKnown ? undefined : `must be a field of the input, or one of ${callFields.join(', ')}`
}

/** Calls as a rule names them. */
export const callsOfRule = z.strictObject({ tool: pattern, match: match.optional() })

const rule = z
  .strictObject({
    ...callsOfRule.shape,
    tier: z.enum(tiers, `must be one of ${tiers.join(', ')}`).optional(),
    decision: z.enum(['allow', 'deny', 'consent'], 'must be one of allow, deny, consent'),
    consent: z.enum(requestedStrengths, `must be one of ${requestedStrengths.join(', ')}`).optional(),
    note: line(limits.ruleNoteCharsMax),
  })
  .refine(
    ({ decision, consent }) => consent === undefined || decision === 'consent',
    'has a consent, which only the decision consent can have',
  )
  .refine(({ decision, tier }) => decision !== 'deny' || tier === undefined, 'denies every tier: remove tier')

/**
 * The schema of the rules about tool calls of agent runners: the first that matches decides.
 * @source docs/runner-rules.md#set-the-rules
 */
export const runnerRules = z.strictObject({
  rules: z.array(rule).max(limits.rulesMax, `must have at most ${limits.rulesMax} rules`),
  record: z.enum(['refused', 'all'], 'must be one of refused, all').default('refused'),
})
