import {
  type ProviderCallRow,
  type StartedCall,
  beginCall,
  freezeCall,
  recordCall,
  settleCall,
} from '../../db/queries/actions/provider-calls.ts'
import type { StartedAction } from '../../db/queries/actions/execution.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { requiredBy, weightOfCall, whyUnweighed } from '../../gate/declared/upstream-call.ts'
import { limits } from '../../limits.ts'
import { waitUntil } from '../../providers/until-aborted.ts'
import { taskQueue } from '../../temporal/names.ts'
import { callUpstream } from '../../upstreams/call-upstream.ts'
import { listServed } from '../../upstreams/list-served.ts'
import type { ServedTool } from '../../upstreams/served-tool.ts'
import type { KindDeps } from '../kind-deps.ts'
import type { Conclusion, Performer } from '../kind.ts'
import type { UpstreamToolPayload } from './kind.ts'
import { serverOf } from './server-of.ts'
import { logStep } from '../../temporal/action-log.ts'

/** How often a call is tried where the server cannot be reached, and the first delay, which doubles. */
const upstreamTriesMax = 4
const upstreamAgainMs = 1_000

const step = 'call'

/**
 * Calls a tool of an MCP server after its member consented. The intent is recorded before the call. A call of unknown outcome
 * is repeated only where an administrator declared the tool idempotent.
 */
export const upstreamToolPerformer: Performer = {
  async plan(deps, row) {
    // The arguments stay in the payload alone.
    await freezeCall(deps.db, { ...callOf(row), request: '{}' })
    return [{ queue: taskQueue.gate, name: step }]
  },

  async perform(deps, row, _step, { signal }) {
    for (;;) {
      const againMs = await performOnce(deps, row, signal)
      if (againMs === null) return
      await waitUntil(Date.now() + againMs, signal)
      signal.throwIfAborted()
    }
  },

  async conclude(deps, row) {
    return conclusionOf(await settleCall(deps.db, callOf(row)))
  },
}

/** One attempt. Returns the delay to the next one, or null if the call is settled. */
async function performOnce(deps: KindDeps, row: StartedAction, signal: AbortSignal): Promise<number | null> {
  const payload = row.payload as unknown as UpstreamToolPayload
  const found = await findTool(deps, row.account_id, payload)
  const started = await beginCall(deps.db, { ...idOf(row), credential: 'none' })
  if (started.outcome === 'settled') return null
  const { againMs, ...attempt } = await attemptCall(deps, { payload, found, started }, signal)
  // The worker is shutting down: the next attempt finds that this one began.
  if (attempt.state !== 'ok') signal.throwIfAborted()
  await recordCall(deps.db, { ...idOf(row), attempt: started.call.attempt, ...attempt })
  const { state, code } = attempt
  logStep(deps, row, 'attempt', { provider: 'mcp', attempt: started.call.attempt, state, code, againMs })
  return againMs
}

const idOf = (row: Pick<StartedAction, 'account_id' | 'id'>) => ({
  account: row.account_id,
  id: row.id,
  step,
})

const callOf = (row: Pick<StartedAction, 'account_id' | 'id' | 'uuid'>) => ({
  ...idOf(row),
  provider: 'mcp',
  key: `act_${row.uuid}_${step}`,
})

/** The tool as it is now, or the code that says why a call of it that was consented to is not made. */
type Found = { tool: ServedTool } | { code: string }

async function findTool(deps: KindDeps, account: string, payload: UpstreamToolPayload): Promise<Found> {
  const { upstream, tool: name, definition_hash: hash, requires, address_digest: digest } = payload
  const served = await listServed(deps, account)
  const tool = served.find((one) => one.upstream === upstream && one.tool === name)
  if (!tool) return { code: 'tool_gone' }
  if (tool.state !== 'reviewed' || tool.hash !== hash) return { code: 'tool_changed' }
  // The same name and definition, at another server. Calls proposed by an older version have no digest.
  if (digest !== undefined && digest !== serverOf(tool).address_digest) return { code: 'tool_changed' }
  if (tool.rule.rule === 'deny') return { code: 'tool_denied' }
  // The member consented to a call that was judged by another rule.
  const isStricter =
    tool.rule.rule === 'confirm' &&
    canonical(requiredBy(tool.rule) as unknown as Json) !== canonical(requires ?? null)
  const { amount_cents, currency, subject } = payload
  const judged = { amount_cents, currency, subject }
  // An amount that is read elsewhere now was not what the member consented to.
  const isOther =
    canonical(weightOfCall(tool.rule, payload.arguments) as Json) !== canonical(judged) ||
    whyUnweighed(tool.rule, payload.arguments, limits.declaredSubjectCharsMax) !== undefined
  return isStricter || (tool.rule.rule === 'confirm' && isOther) ? { code: 'rule_changed' } : { tool }
}

interface Attempt extends Pick<ProviderCallRow, 'state' | 'code' | 'answer'> {
  /** The delay to the next one; null: the call is settled. */
  againMs: number | null
}

async function attemptCall(
  deps: KindDeps,
  {
    payload,
    found,
    started: { call, wasSending, isSuspended },
  }: { payload: UpstreamToolPayload; found: Found; started: StartedCall },
  signal: AbortSignal,
): Promise<Attempt> {
  if (!('tool' in found)) return wasSending ? unknown('not_recorded') : notDone(found.code)
  const { tool } = found
  if (wasSending && (!tool.isIdempotent || isSuspended)) return unknown('not_recorded')
  const {
    fate,
    result,
    why = 'it gave no reason',
  } = await callUpstream(deps, tool, payload.arguments, { signal })
  const isLast = call.attempt >= upstreamTriesMax
  const againMs = upstreamAgainMs * 2 ** (call.attempt - 1)
  switch (fate) {
    case 'ok':
      return { state: 'ok', code: null, answer: kept(result!), againMs: null }
    case 'tool_error':
      return { state: 'ok', code: null, answer: kept(result ?? errorOf(why)), againMs: null }
    case 'not_done':
      // An earlier attempt may have been done.
      if (wasSending) return isLast ? unknown('not_taken') : again('sending', 'not_taken')
      return isLast ? { ...notDone('not_taken'), answer: kept(errorOf(why)) } : again('pending', 'not_taken')
    case 'unknown':
      return tool.isIdempotent && !isLast ? again('sending', 'no_answer') : unknown('no_answer')
  }

  function again(state: 'sending' | 'pending', code: string): Attempt {
    return { state, code, answer: null, againMs }
  }
}

/** An error in the form of a tool's answer. */
const errorOf = (why: string) => ({ content: [{ type: 'text', text: why }], isError: true })

/** As text in a text: PostgreSQL reads no JSON with NUL, with half a character, or nested without end. */
const kept = (result: object) => ({ tool_result: JSON.stringify(result) })

/** What a tool answered to a call, as it is kept; undefined where it did not, or that is erased. */
export function toolResultOf({
  answer,
}: Pick<ProviderCallRow, 'answer'>): Record<string, unknown> | undefined {
  const text = answer?.['tool_result']
  return typeof text === 'string' ? (JSON.parse(text) as Record<string, unknown>) : undefined
}

const notDone = (code: string): Attempt => ({ state: 'not_done', code, answer: null, againMs: null })
const unknown = (code: string): Attempt => ({ state: 'unknown', code, answer: null, againMs: null })

/** What the tool answered stays beside the action: the ledger records only that it did. */
function conclusionOf(call: ProviderCallRow | undefined): Conclusion {
  switch (call?.state) {
    case 'ok': {
      const isError = toolResultOf(call)?.['isError'] === true
      const result = { outcome: 'done' as const, ...(isError ? { is_error: true } : {}) }
      return { status: 'executed', closedReason: null, result }
    }
    case 'not_done':
      return {
        status: 'cancelled',
        closedReason: 'refused',
        result: { outcome: 'refused', code: call.code! },
      }
    default:
      return {
        status: 'executed',
        closedReason: null,
        result: { outcome: 'unknown', code: call?.code ?? 'not_recorded' },
      }
  }
}
