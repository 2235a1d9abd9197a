import { readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { approvalsIn } from '../../gate/approvals/in-policy.ts'
import { personOf } from '../../gate/approvals/person.ts'
import { type ApprovalRule, type Approvers, minutesWords, ruleWords } from '../../gate/approvals/rule.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { passkeyStrength } from '../../gate/passkey.ts'
import type { Policy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { approversAmong } from './among.ts'

/** How many people can approve under a rule right now, beside how many are needed. */
export interface EligibleApprovers {
  needed: number
  /** Of `from`, and of the fallback where these are too few. Counted up to `limits.approversAskedMax`. */
  eligible: number
  /** With those whom it escalates to; absent: it does not. */
  eligible_after_escalation?: number
  /** Why an action under the rule may wait until it expires; absent: there are more than enough. */
  warning?: string
}

/** The eligible approvers of a kind of a policy, with its rule in words. */
export interface EligibleOfKind extends EligibleApprovers {
  kind: string
  rule: string
}

/** Rules of a policy that are looked at. */
const rulesCountedMax = 50

/** Counts the people who can approve under a rule. The member who acts is not known, and not left out. */
export async function eligibleApprovers(
  { db }: Pick<Deps, 'db'>,
  account: string,
  rule: ApprovalRule,
  policy: Policy,
): Promise<EligibleApprovers> {
  const { needed, from, fallback, escalate_to: later, min_strength: strength } = rule
  const people = async (...sources: Approvers[]) => {
    const found = new Set<string>()
    for (const source of sources)
      for (const member of await approversAmong(db, { account_id: account }, source, everybody))
        if (strength !== 'passkey' || (await hasPasskey(db, account, member.memberId, policy)))
          found.add(personOf(member))
    return Math.min(found.size, limits.approversAskedMax)
  }
  const named = await people(from)
  const sources = named < needed && fallback ? [from, fallback] : [from]
  const eligible = sources.length === 1 ? named : await people(...sources)
  const escalated = later ? await people(...sources, later) : undefined
  const warning = warningOf(rule, eligible, escalated)
  return {
    needed,
    eligible,
    ...(escalated === undefined ? {} : { eligible_after_escalation: escalated }),
    ...(warning === undefined ? {} : { warning }),
  }
}

const everybody = { proposerId: '', ownerIds: [], limit: limits.approversAskedMax }

/** Whether a member has a passkey that the policy accepts now. */
async function hasPasskey(
  db: Deps['db'],
  account: string,
  memberId: string,
  policy: Policy,
): Promise<boolean> {
  const facts = await readFacts(db, account, { memberId })
  return (facts?.members ?? []).some(({ passkeys }) =>
    passkeys.some((passkey) => passkeyStrength(passkey, policy, facts!.now) === 'passkey'),
  )
}

function warningOf(rule: ApprovalRule, eligible: number, escalated = eligible): string | undefined {
  const { needed, min_strength: strength, escalate_after_minutes: after = 0 } = rule
  if (eligible > needed) return undefined
  const who = strength === 'passkey' ? 'can approve with a passkey' : 'can approve'
  if (eligible === needed)
    return `Exactly as many people ${who} now as are needed. An action of one of them has too few: the member who acts never counts.`
  const until =
    escalated >= needed
      ? `It waits until it escalates, ${minutesWords(after)} after the consent.`
      : 'An action under this rule waits until it expires.'
  return `Only ${eligible} of the ${needed} people needed ${who} now. ${until} Add approvers, or change the rule.`
}

/** The same for each rule about approvals of a policy, each once a kind. */
export async function eligibleInPolicy(
  deps: Pick<Deps, 'db'>,
  account: string,
  policy: Policy,
): Promise<EligibleOfKind[]> {
  const seen = new Map<string, EligibleApprovers>()
  const listed: EligibleOfKind[] = []
  for (const [kind, ruling] of Object.entries(policy.kinds)) {
    const rules = new Map(approvalsIn(ruling).map((rule) => [canonical(rule as unknown as Json), rule]))
    for (const [text, rule] of rules) {
      if (listed.length === rulesCountedMax) return listed
      const counted = seen.get(text) ?? (await eligibleApprovers(deps, account, rule, policy))
      seen.set(text, counted)
      listed.push({ kind, rule: ruleWords(rule)[0]!, ...counted })
    }
  }
  return listed
}
