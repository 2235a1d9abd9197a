import type { FastifyInstance } from 'fastify'
import { actionNumber, hashOf, type MessageStore } from '../message-store.ts'
import { slackOauth } from './oauth.ts'
import { limits } from '../../../src/limits.ts'

type Form = Record<string, string>
type Metadata = { event_payload?: Record<string, unknown> }
type Answer = { ok: boolean } & Record<string, unknown>

/**
 * The part of Slack's Web API that the gate calls, at `/slack/api/<method>`, and the installation of an app. Every user
 * exists, except those whose id or address contains GONE. A token that contains `invalid` is refused.
 */
export function slackApi(app: FastifyInstance, store: MessageStore): void {
  const nextTimestamp = timestamps(store)
  const exchange = slackOauth(app, { id: bot.team_id, name: 'Sandbox', botUserId: bot.user_id })
  const methods: Record<string, (form: Form) => Answer> = {
    'auth.test': () => ({ ok: true, url: 'https://sandbox.invalid/', team: 'Sandbox', user: 'gate', ...bot }),
    'users.lookupByEmail': lookupByEmail,
    'conversations.open': open,
    'conversations.history': (form) => history(store, form),
    'chat.postMessage': post,
    'chat.update': update,
  }

  // The only method without a token: it issues one.
  app.post<{ Body: Form }>('/slack/api/oauth.v2.access', (request, reply) => {
    void reply.send(exchange(request.body))
  })
  app.post<{ Params: { method: string }; Body: Form }>('/slack/api/:method', (request, reply) => {
    const method = Object.hasOwn(methods, request.params.method) ? methods[request.params.method] : undefined
    void reply.send(
      refusedToken(request.headers.authorization) ?? method?.(request.body) ?? failed('unknown_method'),
    )
  })

  function post({ channel = '', text = '', metadata, blocks, attachments }: Form): Answer {
    const to = userOf(channel)
    if (!to) return failed('channel_not_found')
    if (text === '') return failed('no_text')
    const ts = nextTimestamp()
    const given = metadata ? (JSON.parse(metadata) as Metadata) : undefined
    const action = actionNumber(given?.event_payload?.['action_number'])
    const message = {
      id: `${channel}:${ts}`,
      channel: 'slack' as const,
      to,
      text: renderSlackText(text),
      at: now(),
      ts,
      ...(given ? { metadata: given } : {}),
      ...(action === undefined ? {} : { action }),
      ...(blocks ? { blocks: JSON.parse(blocks) } : {}),
      ...(attachments ? { attachments: JSON.parse(attachments) } : {}),
    }
    store.append({ messages: [message] })
    return { ok: true, channel: channelOf(to), ts, message: { type: 'message', text, ts } }
  }

  function update({ channel = '', ts = '', text = '', blocks }: Form): Answer {
    const known = store.find(`${channel}:${ts}`)
    if (!known) return failed('message_not_found')
    const { blocks: _, ...rest } = known
    const changed = {
      ...rest,
      text: renderSlackText(text),
      ...(blocks ? { blocks: JSON.parse(blocks) } : {}),
    }
    store.append({ messages: [], changed: [changed] })
    return { ok: true, channel, ts, text }
  }
}

export const bot = { team_id: 'TSANDBOX', user_id: 'UGATE', bot_id: 'BGATE' }

function open({ users = '' }: Form): Answer {
  if (!/^[UW][\w-]*$/.test(users) || isGone(users)) return failed('user_not_found')
  return { ok: true, channel: { id: channelOf(users) } }
}

function lookupByEmail({ email = '' }: Form): Answer {
  if (!email.includes('@') || isGone(email)) return failed('users_not_found')
  const id = `U${hashOf(email.toLowerCase()).slice(0, 10).toUpperCase()}`
  return { ok: true, user: { id, profile: { email } } }
}

function history(store: MessageStore, form: Form): Answer {
  const to = userOf(form['channel'] ?? '')
  if (!to) return failed('channel_not_found')
  const limit = Math.min(Number(form['limit'] ?? 100), limits.sandboxSlackHistoryRowsMax)
  const isMetadataWanted = form['include_all_metadata'] === 'true'
  const found: object[] = []
  for (const { channel, to: person, text, ts = '', metadata } of store.newestFirst()) {
    if (channel !== 'slack' || (form['cursor'] && ts >= form['cursor'])) continue
    if (ts <= (form['oldest'] ?? '')) break
    if (person !== to) continue
    if (found.length === limit) return { ...page(found), has_more: true, response_metadata: nextAfter(found) }
    found.push({ type: 'message', text, ts, ...(isMetadataWanted && metadata ? { metadata } : {}) })
  }
  return { ...page(found), has_more: false }
}

const page = (messages: object[]) => ({ ok: true, messages })
const nextAfter = (found: object[]) => ({ next_cursor: (found.at(-1) as { ts: string }).ts })

/** One conversation per user, with an id derived from the user's: nothing to store. */
const channelOf = (user: string) => `D${user}`

function userOf(channel: string): string | undefined {
  const user = /^D?([UW][\w-]*)$/.exec(channel)?.[1]
  return user && !isGone(user) ? user : undefined
}

const isGone = (id: string) => /gone/i.test(id)

function refusedToken(authorization = ''): Answer | undefined {
  const token = authorization.replace(/^Bearer /, '')
  if (token === '') return failed('not_authed')
  return token.includes('invalid') ? failed('invalid_auth') : undefined
}

const failed = (error: string): Answer => ({ ok: false, error })

/** Renders Slack markup and entities as Slack would show them. */
export function renderSlackText(text: string): string {
  if (!/[<&]/.test(text)) return text
  return text
    .replace(/<!(channel|here|everyone)(\|[^<>]*)?>/g, '@$1')
    .replace(/<[@#]([\w-]+)(\|[^<>]*)?>/g, '@$1')
    .replace(/<(https?:[^<|>]+)\|([^<>]*)>/g, '$2')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}

/** Slack message ids: unique seconds with microseconds. */
function timestamps(store: MessageStore): () => string {
  const newest = [...store.newest(1000)].find(({ ts }) => ts)?.ts
  let last = newest ? Number(newest.replace('.', '')) : 0
  return () => {
    last = Math.max(last + 1, Date.now() * 1000)
    const digits = String(last)
    return `${digits.slice(0, -6)}.${digits.slice(-6)}`
  }
}

const now = () => new Date().toISOString()
