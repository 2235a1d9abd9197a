import type { Fields } from '../../actions/kind.ts'
import { readPastDecisions } from '../../db/queries/members/past-decisions.ts'
import type { Deps } from '../../deps.ts'
import { type SuggestedMandate, suggestMandates } from '../../gate/mandates/suggest.ts'
import type { MandateCeiling } from '../../gate/mandates/terms.ts'
import { limits } from '../../limits.ts'

/** Approvals that a suggested mandate would have saved at least. */
const savedMin = 5
/** More values than these are not listed one by one. */
const valuesMax = 5

/** Mandates that the gate suggests to a member, from what they approved in the last 30 days. Nothing is stored of it. */
export async function suggestionsFor(
  deps: Pick<Deps, 'db' | 'kinds'>,
  { account, memberId }: { account: string; memberId: string },
  ceilings: Record<string, MandateCeiling>,
): Promise<SuggestedMandate[]> {
  if (Object.keys(ceilings).length === 0) return []
  const since = new Date(Date.now() - limits.habitsDays * 86_400_000)
  const rows = await readPastDecisions(deps.db, account, { memberId, since })
  const kindOf = await deps.kinds.ofRows(account, rows)
  const decisions = rows.flatMap((row) => {
    const kind = kindOf(row)
    const payload = row.payload as Fields
    return kind?.argumentsOf
      ? [
          {
            agent: row.agent,
            agentName: row.agent_name,
            kind: row.kind,
            arguments: kind.argumentsOf(payload),
            amount: kind.weigh?.(payload),
            isApproved: row.is_approved,
            tookMs: row.took_ms,
            at: row.decided_at,
          },
        ]
      : []
  })
  return suggestMandates(decisions, ceilings, { savedMin, hastyMs: limits.hastyDecisionMs, valuesMax })
}

/** The name of a suggestion in the address of the form: of an agent and a kind there is one. */
export const nameOfSuggestion = ({ terms: { agent, allows } }: SuggestedMandate): string =>
  `${agent} ${allows[0]!.kind}`
