import { limits } from '../../limits.ts'
import { fingerprintOf } from '../fingerprint.ts'
import { type DeliveryChannel, type DeliveryOutcome, type Dialogue, MessageGone } from '../ports.ts'
import { type RateLimiter, rateLimiter, takeTurn } from '../rate-limiter.ts'
import { teamsAnswer, teamsFailure } from '../teams/outcome.ts'
import { adaptiveCard, textBlock } from '../teams/card.ts'
import { type Bot, workspaceOf } from './bot.ts'
import { type BotAnswer, type Connector, TokenProblem, failureOf, idIn } from './connector.ts'

/** Calls a second. Teams takes seven to one conversation, and fifty of a bot in a tenant. */
const callsPerSecond = 5
/** Conversations whose id is remembered. */
const conversationsMax = 20_000
/** What Teams takes of one message, with room for what it adds. @source Teams: 28 KB */
export const activityBytesMax = 26_000

type Opened = { conversation: string } | { failure: Exclude<DeliveryOutcome, { state: 'ok' | 'unknown' }> }

/**
 * Messages of a bot to one person each, in their own conversation with it. Teams has no key against repeats, and a bot cannot
 * read what it sent: a notice whose answer was lost is sent once more, and its buttons count once.
 */
export function teamsBotChannel(
  bot: Bot,
  connector: Connector,
  limiter: RateLimiter = rateLimiter({ perSecond: callsPerSecond }),
): DeliveryChannel {
  const { open, forget } = conversationsOf(bot, connector)

  async function sendOne(
    person: string,
    message: Record<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<DeliveryOutcome> {
    const activity = activityOf(message)
    if (Buffer.byteLength(JSON.stringify(activity)) > activityBytesMax)
      return { state: 'not_done', code: 'message_too_large' }
    const opened = await open(person, signal)
    if ('failure' in opened) return opened.failure
    // A token that is missing now is found out before a byte of the message leaves.
    try {
      await connector.token()
    } catch (error) {
      return notReached(error)
    }
    try {
      const path = `v3/conversations/${encodeURIComponent(opened.conversation)}/activities`
      const answer = await connector.call('POST', path, activity, signal)
      if (answer.status === 404) forget(person)
      return posted(answer)
    } catch (error) {
      return error instanceof TokenProblem ? notReached(error) : teamsFailure(error)
    }
  }

  return {
    channel: 'teams_bot',
    credential: fingerprintOf(workspaceOf(bot)),
    isIdempotent: false,
    mayRepeatNotice: true,
    freeze: () => {
      throw new Error('a bot gets no broadcasts: they are posted in a room')
    },
    freezeNotice: ({ text, blocks }) => ({
      text,
      ...(blocks === undefined ? {} : { blocks: JSON.stringify(blocks) }),
    }),
    async send({ recipients, message, signal, onTurn, ...waits }) {
      const outcomes: DeliveryOutcome[] = []
      for (const { address } of recipients) {
        const missed = await turnIn(limiter, { ...waits, ...(signal ? { signal } : {}) })
        onTurn?.()
        const outcome = missed ?? (await sendOne(address, message, signal))
        if (outcome.state === 'not_done' && outcome.code === 'ratelimited')
          limiter.pauseFor(outcome.retryAfterMs ?? 0)
        outcomes.push(outcome)
      }
      return { outcomes }
    },
    reconcile: async ({ recipients }) => ({
      outcomes: recipients.map(() => ({ state: 'unknown', code: 'cannot_tell' })),
    }),
    dialogue: teamsDialogue(bot, connector, open),
  }
}

type Open = (person: string, signal: AbortSignal | undefined) => Promise<Opened>

/** The conversations with persons: each has the same one each time. Nobody sees that it is opened, so a failure is never `unknown`. */
function conversationsOf(bot: Bot, connector: Connector): { open: Open; forget(person: string): void } {
  const conversations = new Map<string, string>()
  async function open(person: string, signal: AbortSignal | undefined): Promise<Opened> {
    const known = conversations.get(person)
    if (known !== undefined) return { conversation: known }
    try {
      const answer = await connector.call('POST', 'v3/conversations', openingOf(bot, person), signal)
      const id = answer.status <= 299 ? idIn(answer.body) : undefined
      if (id === undefined) return { failure: notOpened(answer) }
      if (conversations.size >= conversationsMax) conversations.delete(conversations.keys().next().value!)
      conversations.set(person, id)
      return { conversation: id }
    } catch (error) {
      return { failure: notReached(error) }
    }
  }

  return { open, forget: (person) => void conversations.delete(person) }
}

function teamsDialogue(bot: Bot, connector: Connector, open: Open): Dialogue {
  return {
    team: async () => workspaceOf(bot),
    organization: async () => undefined,
    async replace({ id, ...where }, { text, blocks }) {
      const opened = 'channel' in where ? { conversation: where.channel } : await open(where.user, undefined)
      if ('failure' in opened) throw failedReplace(opened.failure)
      const path = `v3/conversations/${encodeURIComponent(opened.conversation)}/activities/${encodeURIComponent(id)}`
      const answer = await connector.call('PUT', path, { ...cardActivity(text, blocks), id })
      if (answer.status > 299) throw failedReplace(teamsAnswer(answer.status, answer.retryAfter))
    },
  }
}

async function turnIn(
  limiter: RateLimiter,
  waits: Parameters<typeof takeTurn>[1],
): Promise<DeliveryOutcome | undefined> {
  const pausedMs = limiter.pausedMs()
  if (pausedMs > 0) return { state: 'not_done', code: 'ratelimited', retryAfterMs: pausedMs }
  try {
    await takeTurn(limiter, waits)
    return undefined
  } catch {
    return { state: 'not_done', code: 'cancelled', retryAfterMs: 0 }
  }
}

/**
 * Opens the conversation of one person, by their object id in the tenant.
 * @source Teams, proactive messages: `aadObjectId` or user id, tenant and service URL; the same person has the same conversation
 */
const openingOf = ({ tenant, app }: Bot, person: string) => ({
  bot: { id: `28:${app}` },
  members: [{ id: person }],
  isGroup: false,
  tenantId: tenant,
  channelData: { tenant: { id: tenant } },
})

function activityOf({ text = '', blocks }: Record<string, string>): object {
  return blocks === undefined
    ? cardActivity(
        text,
        text.split('\n').map((line) => textBlock(line)),
      )
    : cardActivity(text, JSON.parse(blocks) as Record<string, unknown>[])
}

/** @param text  what a notification shows */
const cardActivity = (text: string, body: Record<string, unknown>[]) => ({
  type: 'message',
  summary: text,
  attachments: [adaptiveCard(body)],
})

/** `ok` only where Teams names the message: without its id nothing can be shown there later. */
function posted(answer: BotAnswer): DeliveryOutcome {
  if (answer.status === 401) return again('http_401')
  const outcome = teamsAnswer(answer.status, answer.retryAfter)
  if (outcome.state !== 'ok') return withReason(outcome, answer)
  const id = idIn(answer.body)
  return id === undefined ? { state: 'unknown', code: 'unreadable_answer' } : { state: 'ok', providerId: id }
}

type NotDone = Extract<DeliveryOutcome, { state: 'not_done' }>

function notOpened(answer: BotAnswer): NotDone {
  if (answer.status === 401) return again('http_401')
  const outcome = teamsAnswer(answer.status, answer.retryAfter)
  if (outcome.state !== 'not_done') return again(outcome.state === 'ok' ? 'unreadable_answer' : outcome.code)
  const named = withReason(outcome, answer)
  // A refusal for good is recorded by its name: it says whether the person lacks the app, or Teams does not take their id.
  return named.retryAfterMs === undefined && named.says !== undefined ? { ...named, code: named.says } : named
}

/** Teams names why it refuses: `BotNotInConversationRoster`, where the person has no such app. */
function withReason<Outcome extends DeliveryOutcome>(outcome: Outcome, { body }: BotAnswer): Outcome {
  const code = (body?.['error'] as { code?: unknown } | undefined)?.code
  return outcome.state === 'not_done' && typeof code === 'string' && /^[A-Za-z]{1,60}$/.test(code)
    ? { ...outcome, says: code }
    : outcome
}

function notReached(error: unknown): NotDone {
  const { code, isFinal } = failureOf(error)
  return isFinal ? { state: 'not_done', code } : again(code)
}

const again = (code: string): NotDone => ({
  state: 'not_done',
  code,
  retryAfterMs: limits.providerConnectRetryMs,
})

function failedReplace(outcome: DeliveryOutcome): Error {
  const { state, code } = outcome as Exclude<DeliveryOutcome, { state: 'ok' }>
  const isFinal = state === 'not_done' && (outcome as NotDone).retryAfterMs === undefined
  return isFinal
    ? new MessageGone(`Teams does not update the message: ${code}`)
    : new Error(`the message in Teams was not updated: ${code}`)
}
