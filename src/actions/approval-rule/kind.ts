import { z } from 'zod'
import { type RuleChange, ruleChangeKind } from '../../gate/approvals/rule-change.ts'
import { policyOfAction, applyRuleChange } from '../../db/queries/accounts/rule-changes.ts'
import { eventId } from '../../ledger/digest.ts'
import { taskQueue } from '../../temporal/names.ts'
import { type ActionKind, type Fields, outcomes } from '../kind.ts'

/** The form only: the document was parsed when it was reviewed. */
const payload = z.strictObject({
  base: z.int(),
  document: z.string(),
  kinds: z.array(z.string()),
  changes: z.array(z.string()),
  note: z.string().optional(),
  restores: z.int().optional(),
})

/** A policy that changes who must approve. An administrator who is a member proposes it, in the console. */
export const approvalRule: ActionKind<RuleChange & Fields> = {
  kind: ruleChangeKind,
  payload: payload as unknown as z.ZodType<RuleChange & Fields>,
  defaultRule: { tier: 'read_only', consent: 'page' },
  isHttpProposable: false,
  reaches: 'nobody',
  expiresAfterMs: 7 * 86_400_000,
  shows: { payload, result: z.object({ outcome: z.enum(outcomes), version: z.int().optional() }) },
  summary: ({ base, changes, note }) => ({
    title: `Change who must approve: policy version ${base + 1}`,
    facts: [
      ...changes.map((line): [string, string] => [line.startsWith('+') ? 'New' : 'Removed', line.slice(2)]),
      ['Applies to', 'proposals from then on. Open ones keep their rule'],
    ],
    written: note === undefined ? [] : [['Note of the administrator', note]],
  }),
  outcome: (_, result) => `Policy version ${String(result['version'])} set`,
  performer: {
    plan: async () => [{ queue: taskQueue.gate, name: 'set', isQuick: true }],

    async perform(deps, row) {
      await applyRuleChange(deps.db, row.account_id, row.id, eventId(row.uuid, 'policy set'))
    },

    async conclude(deps, row) {
      const version = await policyOfAction(deps.db, row.account_id, row.id)
      return version === null
        ? {
            status: 'cancelled',
            closedReason: 'refused',
            result: { outcome: 'refused', code: 'policy_changed' },
          }
        : { status: 'executed', closedReason: null, result: { outcome: 'done', version } }
    },
  },
}
