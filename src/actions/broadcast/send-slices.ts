import { isSuspended } from '../../db/queries/accounts/accounts.ts'
import type { DeliveryRow, DeliveryState, SliceRecord } from '../../db/queries/actions/deliveries.ts'
import type { StartedAction } from '../../db/queries/actions/execution.ts'
import type { KindDeps } from '../kind-deps.ts'
import type { Outlet } from '../../gate/reach.ts'
import { eventId } from '../../ledger/digest.ts'
import { limits } from '../../limits.ts'
import type { DeliveryChannel, DeliveryOutcome, SliceToSend } from '../../providers/ports.ts'
import { outcomeAfterRetry } from '../../providers/retry-outcome.ts'
import { waitUntil } from '../../providers/until-aborted.ts'
import { settleAll } from '../../waiting/settle-all.ts'
import { NeedsOwnTask, type StepContext } from '../kind.ts'
import { type Claimed, claimOf, placesToSend } from './claim-slice.ts'
import { type AnyChannel, type Sending, gateOf, isUnreadable, waitsOf, write } from './sending.ts'
import { logStep } from '../../temporal/action-log.ts'

/** The maximum age of the key of a slice whose outcome is unknown. */
const sliceKeyAgeMsMax = 72_000_000

/** Retries of a slice that was certainly not delivered (429). */
const sliceRoundsMax = 6
const sliceRetryAfterMsMax = 120_000

/** How long an execution waits for a credential that cannot be decrypted, before it fails. */
const credentialUnreadableMs = 72_000_000

/**
 * Sends slices `from` up to `to` of one channel, several in parallel. Intent and outcome are written per slice. A slice that
 * an earlier attempt left unfinished is sent again only if the provider replays its answer, the account is not suspended, and
 * the message is the action's; otherwise it is reconciled.
 * @throws GateError `unavailable` while the credential cannot be opened and the wait for it is not over
 */
export async function sendSlices(
  deps: KindDeps,
  row: StartedAction,
  step: { channel: Outlet; from: number; to: number },
  context: SliceContext,
): Promise<void> {
  const channels = await deps.channelsOf(row.account_id, row.integrations_version)
  const channel = channels[step.channel]
  if (isUnreadable(channel) && !(await isWaitOver(deps, row))) throw channel.unreadable
  const sending = { deps, row, channelName: step.channel, channel, context }
  const lane = laneOf(sending)
  let next = step.from
  const run = async () => {
    let record: SliceRecord | null = null
    while (next < step.to && !context.signal.aborted) record = await lane(next++, record)
    if (record && context.keep) context.keep(record)
    else if (record) await write(sending, record)
  }
  await settleAll(Array.from({ length: Math.min(limits.slicesInFlight, step.to - step.from) }, run))
  context.signal.throwIfAborted()
}

interface SliceContext extends StepContext {
  /** Takes the last record, which is written with the end of the action. Absent: it is written here. */
  keep?(record: SliceRecord): void
}

/** Whether to finish without the credential: the account is suspended, or the wait was long enough. */
async function isWaitOver(deps: KindDeps, row: StartedAction): Promise<boolean> {
  const waitedMs = Date.now() - row.begun_at!.getTime()
  return waitedMs > credentialUnreadableMs || (await isSuspended(deps.db, row.account_id))
}

/** Sends one slice after another. One statement records the last send and claims the next slice. */
function laneOf(sending: Sending) {
  const { context } = sending
  const claim = claimOf(sending)
  return async (slice: number, pending: SliceRecord | null): Promise<SliceRecord | null> => {
    let record = pending
    for (let tries = 0; !context.signal.aborted;) {
      const claimed = await claim(slice, record)
      record = null
      if (!claimed) return null
      if (claimed.wasSending && context.isBrief) throw new NeedsOwnTask('an earlier attempt was interrupted')
      const settled = await settle(sending, claimed, tries)
      record = settled.record
      logStep(sending.deps, sending.row, 'attempt', sentOf(sending, slice, settled))
      if (settled.againMs === null) return record
      if (context.isBrief) {
        await write(sending, record)
        throw new NeedsOwnTask('the provider asks to wait')
      }
      // A further part of the slice is no repeat.
      tries = settled.isPostponed ? tries + 1 : 0
      await waitUntil(Date.now() + settled.againMs, context.signal)
    }
    if (record) await write(sending, record)
    return null
  }
}

/** What is logged of a slice: how many of its recipients are in each state, and the provider's codes. */
function sentOf(
  { channelName: channel }: Sending,
  slice: number,
  { record, againMs }: { record: SliceRecord; againMs: number | null },
): Record<string, unknown> {
  const states: Record<string, number> = {}
  for (const state of record.states) states[state] = (states[state] ?? 0) + 1
  const codes = [...new Set(record.codes)].filter((code) => code !== '')
  return { channel, slice, states, ...(codes.length === 0 ? {} : { codes }), againMs }
}

/** `isPostponed`: the provider asks for a repeat, in contrast to a further part of the slice. */
async function settle(
  sending: Sending,
  { delivery, wasSending, isSuspended, isOurs, notDone }: Claimed,
  tries: number,
): Promise<{ record: SliceRecord; againMs: number | null; isPostponed: boolean }> {
  const { channel, row, context } = sending
  const places = placesToSend(delivery)
  // Why it is not sent again, but only looked for. What was just claimed has the message that was given.
  const stopped = isSuspended ? 'account_suspended' : isOurs ? undefined : 'payload_changed'
  const mayTryAgain = tries < sliceRoundsMax && stopped === undefined
  // Recipients that an earlier round postponed, or that no part has claimed yet, are claimed once none is `sending`.
  const isLeft = (record: SliceRecord) => record.states.includes('pending')
  if (!channel || isUnreadable(channel) || (wasSending && !isMadeWith(channel, delivery))) {
    const record = recordOf(delivery, places, () => unsentOutcome(channel, wasSending))
    return { record, againMs: isLeft(record) ? 0 : null, isPostponed: false }
  }
  const gate = gateOf(sending)
  const slice = {
    ...sliceToSend(row, delivery, places, context),
    notDone,
    ...(gate && !wasSending ? { onTurn: () => gate.leave(1) } : {}),
  }
  const { outcomes: answered } = await (wasSending
    ? repeat(channel, slice, stopped !== undefined)
    : channel.send(slice))
  // A refused repeat says nothing about the earlier call.
  const outcomes =
    wasSending && channel.isIdempotent
      ? outcomeAfterRetry(
          places.map(() => lost),
          answered,
        )
      : answered
  const againMs = mayTryAgain ? retryDelayMs(channel, answered, outcomes, slice) : null
  const record = recordOf(delivery, places, (i) => {
    const settled = settledState(outcomes[i]!, againMs !== null, channel)
    return stopped !== undefined && settled.state === 'unknown' ? { ...settled, code: stopped } : settled
  })
  return { record, againMs: againMs ?? (isLeft(record) ? 0 : null), isPostponed: againMs !== null }
}

/**
 * Whether a slice was sent with this credential: another one neither knows its key nor sees its messages. A slice without a
 * recorded credential was not.
 */
function isMadeWith(channel: DeliveryChannel, { message }: DeliveryRow): boolean {
  return message?.['credential'] === channel.credential
}

function repeat(channel: DeliveryChannel, slice: SliceToSend, isStopped: boolean) {
  // A provider forgets idempotency keys after some time; after that, a repeat would be a second message.
  const isKeyFresh = Date.now() - slice.attemptedAt.getTime() < sliceKeyAgeMsMax
  return channel.isIdempotent && isKeyFresh && !isStopped ? channel.send(slice) : channel.reconcile(slice)
}

/** When to retry a slice: if it was certainly not sent, or if its outcome is unknown and a repeat is safe. */
function retryDelayMs(
  channel: DeliveryChannel,
  answered: DeliveryOutcome[],
  outcomes: DeliveryOutcome[],
  slice: SliceToSend,
): number | null {
  const delays = answered.flatMap((answer, i) => {
    if (answer.state === 'not_done' && answer.retryAfterMs !== undefined) return [answer.retryAfterMs]
    // A final refusal of the repeat does not change: the outcome stays unknown.
    const mayLearn = answer.state === 'unknown' && outcomes[i]!.state === 'unknown'
    return mayLearn && channel.isIdempotent ? [limits.sliceUnknownAgainMs] : []
  })
  const isKeyFresh = Date.now() - slice.attemptedAt.getTime() < sliceKeyAgeMsMax
  if (delays.length === 0 || !isKeyFresh) return null
  return Math.min(Math.max(...delays), sliceRetryAfterMsMax)
}

type Settled = { state: DeliveryState; providerId: string; code: string }
const lost: DeliveryOutcome = { state: 'unknown', code: 'lost' }

/** The outcome for recipients that are not sent to: unknown if an earlier attempt may have sent. */
function unsentOutcome(channel: AnyChannel, wasSending: boolean): Settled {
  const isKept = isUnreadable(channel)
  return wasSending
    ? { state: 'unknown', providerId: '', code: isKept ? 'credential_unreadable' : 'credential_changed' }
    : { state: 'failed', providerId: '', code: isKept ? 'credential_unreadable' : 'channel_not_configured' }
}

function settledState(outcome: DeliveryOutcome, isAgain: boolean, channel: DeliveryChannel): Settled {
  if (outcome.state === 'ok') return { state: 'ok', providerId: outcome.providerId, code: '' }
  if (outcome.state === 'not_done') {
    const isRetried = isAgain && outcome.retryAfterMs !== undefined
    return { state: isRetried ? 'pending' : 'failed', providerId: '', code: outcome.code }
  }
  // Left as `sending`, the same recipients are sent again under the same key.
  return {
    state: isAgain && channel.isIdempotent ? 'sending' : 'unknown',
    providerId: '',
    code: outcome.code,
  }
}

function recordOf(delivery: DeliveryRow, places: number[], settledAt: (i: number) => Settled): SliceRecord {
  const record = {
    slice: delivery.slice,
    attempt: delivery.attempt,
    states: [...delivery.states],
    provider_ids: [...delivery.provider_ids],
    codes: [...delivery.codes],
  }
  places.forEach((place, i) => {
    const settled = settledAt(i)
    record.states[place] = settled.state
    record.provider_ids[place] = settled.providerId
    record.codes[place] = settled.code
  })
  return record
}

function sliceToSend(
  row: StartedAction,
  delivery: DeliveryRow,
  places: number[],
  context: StepContext,
): SliceToSend {
  return {
    key: `act_${row.uuid}_${delivery.channel}_${delivery.slice}_${delivery.round}`,
    message: delivery.message ?? {},
    recipients: places.map((place) => ({
      deliveryId: eventId(row.uuid, delivery.channel, delivery.slice, place),
      address: delivery.addresses[place]!,
    })),
    attemptedAt: delivery.attempted_at,
    ...waitsOf(context),
  }
}
