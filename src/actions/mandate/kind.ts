import { z } from 'zod'
import { requestedStrengths } from '../../gate/consent.ts'
import { type MandateTerms, mandateKind } from '../../gate/mandates/terms.ts'
import { limitLines, worstCase, worstDay } from '../../gate/mandates/words.ts'
import { type ActionKind, type Fields, outcomes } from '../kind.ts'
import { mandatePerformer } from './perform.ts'

/** The form only: `readTerms` has checked the limits when the member entered them. */
const payload = z.strictObject({
  agent: z.string(),
  agent_name: z.string(),
  allows: z.array(z.record(z.string(), z.unknown())),
  uses: z.int(),
  uses_per_day: z.int(),
  cents: z.record(z.string(), z.int()).optional(),
  cents_per_day: z.record(z.string(), z.int()).optional(),
  until: z.string(),
  required_consent: z.enum(requestedStrengths),
})

/** A member's consent in advance to what an agent proposes, within limits. Only the member proposes it, in the console. */
export const mandate: ActionKind<MandateTerms & Fields> = {
  kind: mandateKind,
  payload: payload as unknown as z.ZodType<MandateTerms & Fields>,
  defaultRule: { tier: 'guarded_write', consent: 'page' },
  isHttpProposable: false,
  reaches: 'nobody',
  expiresAfterMs: 86_400_000,
  shows: { payload, result: z.object({ outcome: z.enum(outcomes), in_force_until: z.string().optional() }) },
  requires: ({ required_consent: consent }) => ({
    tier: 'read_only',
    consent,
    rule: 'A mandate requires what the policy says for its kinds',
  }),
  summary: (terms) => ({
    title: `Let an agent act without asking: ${worstCase(terms)}, until ${minuteOf(terms.until)}`,
    facts: [
      ['Agent', `${terms.agent_name} (${terms.agent}). No other key can use it`],
      ['May', terms.allows.map(({ kind }) => kind).join(', ')],
      ...terms.allows.flatMap(limitLines),
      ['In all', worstCase(terms)],
      ['Each day', worstDay(terms)],
      [
        'Ends',
        `${minuteOf(terms.until)}, or when you or an administrator end it. It cannot be changed: end it and sign another`,
      ],
      ['Everything else', 'you are asked as before'],
      ['Spent is spent', 'a use counts even if the action is cancelled or fails'],
    ],
    written: [],
  }),
  outcome: (terms) => `Allowed ${terms.agent_name}: ${worstCase(terms)}`,
  performer: mandatePerformer,
}

/** A time in UTC, to the minute. */
const minuteOf = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`
