import type { ActionRow } from '../../db/queries/actions/actions.ts'
import { type AskedCall, type ConsentStop, readAskedCalls } from '../../db/queries/runner/mandates.ts'
import { type Denial, denial } from '../../gate/denial.ts'
import { runnerMandateKind } from '../../gate/runner-calls/tool-call.ts'
import type { ActingMember } from '../members/actor.ts'
import { toolCallLine } from '../actions/tool-call-line.ts'
import type { JudgedCall } from './judge-call.ts'
import type { Mandatable } from './mandates.ts'
import { type StoppedFields, offerMandate, openMandate } from './offer-mandate.ts'
import type { RunnerContext } from './runner-context.ts'

const askedMostShownMax = 5
const askedMostCharsMax = 120

/** What the member is told about a stop: a mandate that would end it, or else what was asked most, on the card of the last request. */
export interface Told {
  /** The member is asked for a mandate. */
  offer: ActionRow | null
  stopped: StoppedFields
}

/** Tells a member that the agent is stopped, by offering a mandate for what it asks now, if that can be one. */
export async function tellOfStop(
  context: RunnerContext,
  acting: ActingMember,
  { judged, wanted }: { judged: JudgedCall; wanted: Mandatable | null },
  { until }: ConsentStop,
): Promise<Told> {
  const asked = await readAskedCalls(context.deps.db, context.account, context.keyId)
  const stopped = { stopped_until: until.toISOString(), asked_most: mostAsked(asked) }
  const offer = wanted && (await offerMandate(context, acting, judged, { wanted, stopped, asked }))
  return { offer, stopped }
}

/** The mandate that would end a stop which the member was told of: the one that is open, or a new one. */
export async function offerInStop(
  context: RunnerContext,
  acting: ActingMember,
  { judged, wanted }: { judged: JudgedCall; wanted: Mandatable },
): Promise<ActionRow | null> {
  const open = await openMandate(context, wanted)
  if (open) return open
  const asked = await readAskedCalls(context.deps.db, context.account, context.keyId)
  return offerMandate(context, acting, judged, { wanted, asked })
}

/** Why a call is denied while the agent is stopped. */
export function stopDenial({ until, told_id: told, told_kind: kind }: ConsentStop): Denial {
  const byMandate = told !== null && kind === runnerMandateKind
  return denial(
    'asked_too_often',
    `The member was asked as often as is allowed for this key. Until ${until.toISOString()}, calls that require consent are denied. ${
      told === null
        ? 'The member can decide the open requests in the console'
        : byMandate
          ? `The member was told, and can allow the commands of action ${told} in advance: then they run at once`
          : `The member was told with action ${told}, and can decide the open requests`
    }. Other calls go on; wait with this one.`,
  )
}

/** The calls that were asked about most, as their cards show them. Pure. */
function mostAsked(asked: AskedCall[]): { call: string; times: number }[] {
  const times = new Map<string, number>()
  for (const { runner, tool, call } of asked) {
    const { line, subject } = toolCallLine({ runner, tool }, call && JSON.stringify(call.input))
    const shown = (subject ?? line).slice(0, askedMostCharsMax)
    times.set(shown, (times.get(shown) ?? 0) + 1)
  }
  return [...times]
    .map(([call, count]) => ({ call, times: count }))
    .toSorted((a, b) => b.times - a.times)
    .slice(0, askedMostShownMax)
}
