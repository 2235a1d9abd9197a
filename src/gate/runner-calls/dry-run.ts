import { meetsFloor } from '../consent.ts'
import type { Policy } from '../policy.ts'
import type { Tier } from '../tier.ts'
import { type CallRuling, ruleOnCall } from './rule-on-call.ts'
import type { ToolCall } from './tool-call.ts'

/** A past tool call, with what the rules read. `call` null: its input was too long to be kept. */
export interface PastToolCall {
  tool: string
  tier: Tier
  call: ToolCall | null
}

/** How the result of a tool call differs under another policy. */
export const callChanges = ['denied', 'allowed', 'asked', 'stronger', 'weaker'] as const
export type CallChange = (typeof callChanges)[number]

/** Past calls of one tool that another policy decides the same other way, by the same rule. */
export interface ChangedCalls {
  tool: string
  change: CallChange
  /** The rule that would decide. */
  why: string
  /** What the rule matched on in the first of them: a simple command, or a path. */
  matchedOn: string | null
  calls: number
}

/** The differences that a policy makes to past tool calls. */
export interface ToolCallDryRun {
  calls: number
  /** Calls whose input was not kept: they appear in no other count. */
  unknown: number
  counts: Record<CallChange, number>
  /** The most frequent first. */
  changed: ChangedCalls[]
}

export const noToolCalls = (): ToolCallDryRun => ({
  calls: 0,
  unknown: 0,
  counts: { denied: 0, allowed: 0, asked: 0, stronger: 0, weaker: 0 },
  changed: [],
})

/** Adds past calls to a dry run: each is decided by both policies, with the tier that its member had. Pure. */
export function addToolCalls(
  { now, next }: { now: Policy; next: Policy },
  run: ToolCallDryRun,
  calls: PastToolCall[],
): ToolCallDryRun {
  const counts = { ...run.counts }
  const changed = new Map(run.changed.map((group) => [keyOf(group), group]))
  let { unknown } = run
  for (const { tool, tier, call } of calls) {
    if (!call) {
      unknown++
      continue
    }
    const would = ruleOnCall(next, call, tier)
    const change = changeOf(ruleOnCall(now, call, tier), would)
    if (!change) continue
    counts[change]++
    const group = { tool, change, why: would.rule, matchedOn: would.on, calls: 1 }
    const known = changed.get(keyOf(group))
    changed.set(keyOf(group), known ? { ...known, calls: known.calls + 1 } : group)
  }
  return {
    calls: run.calls + calls.length,
    unknown,
    counts,
    changed: [...changed.values()].toSorted((a, b) => b.calls - a.calls),
  }
}

function changeOf(was: CallRuling, would: CallRuling): CallChange | null {
  if (was.decision !== would.decision)
    return ({ deny: 'denied', allow: 'allowed', consent: 'asked' } as const)[would.decision]
  if (was.consent === null || would.consent === null || was.consent === would.consent) return null
  return meetsFloor(was.consent, would.consent) ? 'weaker' : 'stronger'
}

const keyOf = ({ tool, change, why }: Pick<ChangedCalls, 'tool' | 'change' | 'why'>): string =>
  JSON.stringify([tool, change, why])
