import { z } from 'zod'
import { withLimits } from '../../gate/policy.ts'
import { isCurrency } from '../../gate/money.ts'
import { limits } from '../../limits.ts'
import { line, tier } from '../entered-fields.ts'
import { explainPolicy as explain } from '../policy/explain-policy.ts'
import { parsePolicyDocument } from '../policy/parse-policy-document.ts'
import { policyHistory } from '../policy/policy-history.ts'
import { policyInForce } from '../policy/policy-in-force.ts'
import { reviewPolicy as review } from '../policy/policy-review.ts'
import { setPolicy as set } from '../policy/set-policy.ts'
import { type AdminCall, defineAdmin } from './admin-operation.ts'
import { Document, listOf } from './parts.ts'

const path = '/api/v1/admin/policies'
const version = z.int().min(1).max(1_000_000_000)
const note = line(limits.policyNoteCharsMax).optional().meta({ description: 'Why it changes.' })
const document = Document.meta({
  description: 'The policy document. With `version`, it is refused where another version is in force.',
})
const broadcasts = { kinds: { broadcast: { tier: 'write' } } }
const inForce = { version: 2, expires_after_hours: 168, kinds: { broadcast: { tier: 'write' } } }

const getPolicy = defineAdmin({
  name: 'get_policy',
  title: 'Read the policy',
  summary: 'Reads the policy in force, including defaults.',
  http: { method: 'GET', path },
  power: 'admin:policies.read',
  input: z.strictObject({}),
  output: Document,
  errors: ['forbidden'],
  example: { input: {}, output: inForce },
  run: async ({ deps, account }) => withLimits(await policyInForce(deps, account)),
})

const listPolicyVersions = defineAdmin({
  name: 'list_policy_versions',
  title: 'List policy versions',
  summary: 'Lists the versions of the policy, newest first, with who set each and why.',
  http: { method: 'GET', path: `${path}/versions`, integers: ['before'] },
  power: 'admin:policies.read',
  input: z.strictObject({
    before: version.optional().meta({ description: '`next_before` of the page before.' }),
  }),
  output: listOf('versions').extend({ next_before: z.int().optional() }),
  errors: ['forbidden', 'invalid'],
  example: {
    input: {},
    output: {
      versions: [{ version: 2, at: '2026-11-28T10:00:00.000Z', by: 'admin', note: 'Only for writers.' }],
    },
  },
  async run({ deps, account }, { before }) {
    const { versions, next } = await policyHistory(deps, account, before ?? null)
    return {
      versions: versions.map((one) => ({
        version: one.version,
        at: one.at,
        by: one.by,
        note: one.note,
        restores: one.restores,
        document: one.document,
      })),
      ...(next === undefined ? {} : { next_before: next }),
    }
  },
})

const reviewPolicy = defineAdmin({
  name: 'review_policy',
  title: 'Review a policy',
  summary:
    'Shows what a document would change: the rules in words, how many people can approve, and a dry run on the proposals of the last days. Nothing is stored.',
  http: { method: 'POST', path: `${path}/review` },
  power: 'admin:policies.read',
  input: z.strictObject({ document }),
  output: Document,
  errors: ['forbidden', 'conflict', 'invalid'],
  example: {
    input: { document: broadcasts },
    output: { version: 1, changes: ['- broadcast: guarded_write', '+ broadcast: write'], changed_in_all: 0 },
  },
  async run(context, given) {
    const { deps, account } = context
    const reviewed = await review(deps, account, await parsed(context, given.document))
    return {
      version: reviewed.inForce.version,
      changes: reviewed.lines
        .filter(({ change }) => change !== 'same')
        .map(({ change, text }) => `${change === 'added' ? '+' : '-'} ${text}`),
      approvers: reviewed.approvers,
      kinds: reviewed.kinds,
      changed: reviewed.changed,
      changed_in_all: reviewed.changedInAll,
      is_cut: reviewed.isCut,
      tool_calls: reviewed.toolCalls,
    }
  },
})

const setPolicy = defineAdmin({
  name: 'set_policy',
  title: 'Set the policy',
  summary:
    'Replaces the rules of the kinds in a document; other kinds do not change. Send the `version` of the review in the document.',
  http: { method: 'POST', path },
  power: 'admin:policies.write',
  input: z.strictObject({ document, note }),
  output: Document,
  errors: ['forbidden', 'conflict', 'invalid'],
  example: { input: { document: { ...broadcasts, version: 1 }, note: 'Only for writers.' }, output: inForce },
  run: async (context, given) =>
    withLimits(await set(withKinds(context), await parsed(context, given.document), given.note)),
})

const restorePolicy = defineAdmin({
  name: 'restore_policy',
  title: 'Restore a policy',
  summary: 'Sets the document of an earlier version again, as a new version.',
  http: { method: 'POST', path: `${path}/restore` },
  power: 'admin:policies.write',
  input: z.strictObject({ version, note }),
  output: Document,
  errors: ['forbidden', 'not_found', 'conflict', 'invalid'],
  example: { input: { version: 1 }, output: { ...inForce, version: 3 } },
  run: async (context, given) =>
    withLimits(await set(withKinds(context), { restores: given.version }, given.note)),
})

const explainPolicy = defineAdmin({
  name: 'explain_policy',
  title: 'Explain the policy',
  summary:
    'Explains whether a tier is sufficient for an action, by which rule, who else must approve, and how many can now.',
  http: { method: 'POST', path: `${path}/explain` },
  power: 'admin:policies.read',
  input: z.strictObject({
    kind: line(limits.kindCharsMax),
    tier,
    amount_cents: z.int().min(0).max(limits.amountCentsMax).optional(),
    currency: z.string().refine(isCurrency, 'must be a supported currency, such as usd').optional(),
    confirmed_cents: z.int().min(0).max(limits.amountCentsMax).optional(),
  }),
  output: Document,
  errors: ['forbidden', 'invalid'],
  example: {
    input: { kind: 'refund', tier: 'guarded_write', amount_cents: 25_000, currency: 'usd' },
    output: {
      allowed: false,
      rule: 'refunds up to 1000.00 USD require write',
      consent: null,
      needed_tier: 'write',
    },
  },
  run: ({ deps, account }, given) =>
    explain(deps, account, {
      kind: given.kind,
      tier: given.tier,
      amountCents: given.amount_cents,
      currency: given.currency,
      confirmedCents: given.confirmed_cents,
    }),
})

const withKinds = (context: AdminCall) => ({ ...context, kinds: context.deps.kinds })

const parsed = async ({ deps, account }: AdminCall, given: unknown) =>
  parsePolicyDocument(await deps.kinds.now(account), given)

export const policyOperations = {
  getPolicy,
  listPolicyVersions,
  reviewPolicy,
  setPolicy,
  restorePolicy,
  explainPolicy,
}
