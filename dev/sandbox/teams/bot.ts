import { createHash, randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { limits } from '../../../src/limits.ts'
import type { MessageStore, SandboxMessage } from '../message-store.ts'
import { sandboxPage, sendPage } from '../sandbox-page.ts'
import { buttonsOf, cardText } from './adaptive-card.ts'
import { type ConnectorKey, connectorKey, connectorToken, publicJwk } from './bot-keys.ts'

const base = '/teams-bot'

interface Activity {
  summary?: unknown
  attachments?: { contentType?: unknown; content?: { type?: unknown; body?: unknown } }[]
}

/**
 * The part of Microsoft Entra and of the Bot Connector that a bot calls, and the keys of its own calls. Every person exists, except
 * those whose object id begins with `dead`. A client secret that contains `invalid` is refused.
 * @returns the key that signs the calls
 */
export function teamsBotApi(app: FastifyInstance, store: MessageStore): ConnectorKey {
  const key = connectorKey('sandbox-connector')
  entraApi(app, key)
  conversationsApi(app, store)
  return key
}

/** Keys of calls, and tokens for bots. */
function entraApi(app: FastifyInstance, key: ConnectorKey): void {
  const urlOf = (request: FastifyRequest, path: string) => `http://${request.headers.host}${base}/${path}`

  app.get(`${base}/.well-known/openidconfiguration`, (request) => ({
    issuer: 'https://api.botframework.com',
    jwks_uri: urlOf(request, '.well-known/keys'),
    id_token_signing_alg_values_supported: ['RS256'],
  }))
  app.get(`${base}/.well-known/keys`, () => ({ keys: [publicJwk(key, ['msteams', 'webchat'])] }))

  app.post<{ Params: { tenant: string }; Body: Record<string, string> | null }>(
    `${base}/:tenant/oauth2/v2.0/token`,
    ({ params, body }, reply) => {
      const { grant_type: grant, client_id: client = '', client_secret: secret = '', scope } = body ?? {}
      if (grant !== 'client_credentials' || scope !== 'https://api.botframework.com/.default')
        return reply.code(400).send({ error: 'invalid_request' })
      if (secret === '' || secret.includes('invalid'))
        return reply.code(401).send({ error: 'invalid_client' })
      const token = Buffer.from(JSON.stringify({ tenant: params.tenant, app: client })).toString('base64url')
      return reply.send({ token_type: 'Bearer', expires_in: 3_599, access_token: token })
    },
  )
}

function conversationsApi(app: FastifyInstance, store: MessageStore): void {
  app.post<{ Body: { members?: { id?: string }[]; tenantId?: string } | null }>(
    `${base}/service/v3/conversations`,
    (request, reply) => {
      const caller = callerOf(request)
      if (!caller) return refuse(reply, 401, 'Unauthorized')
      const [person] = request.body?.members ?? []
      if (request.body?.tenantId !== caller.tenant || !person?.id) return refuse(reply, 400, 'BadSyntax')
      if (person.id.startsWith('dead')) return refuse(reply, 403, 'BotNotInConversationRoster')
      return reply.code(201).send({ id: conversationOf(caller.app, person.id) })
    },
  )

  app.post<{ Params: { conversation: string }; Body: Activity | null }>(
    `${base}/service/v3/conversations/:conversation/activities`,
    (request, reply) => {
      const caller = callerOf(request)
      if (!caller) return refuse(reply, 401, 'Unauthorized')
      const { conversation } = request.params
      const card = cardIn(request.body)
      if (!conversation.startsWith(`a:${caller.app}:`)) return refuse(reply, 404, 'ConversationNotFound')
      if (!card) return refuse(reply, 400, 'BadSyntax')
      const id = `${Date.now()}${randomUUID().slice(0, 8)}`
      store.append({
        messages: [
          {
            id: `${conversation}|${id}`,
            channel: 'teams_bot',
            to: conversation.split(':')[2]!,
            at: new Date().toISOString(),
            ts: id,
            metadata: caller,
            ...card,
          },
        ],
      })
      return reply.code(201).send({ id })
    },
  )

  app.put<{ Params: { conversation: string; id: string }; Body: Activity | null }>(
    `${base}/service/v3/conversations/:conversation/activities/:id`,
    (request, reply) => {
      const { conversation, id } = request.params
      const known = store.find(`${conversation}|${id}`)
      const card = cardIn(request.body)
      if (!callerOf(request)) return refuse(reply, 401, 'Unauthorized')
      if (!known) return refuse(reply, 404, 'ActivityNotFoundInConversation')
      if (!card) return refuse(reply, 400, 'BadSyntax')
      store.append({ messages: [], changed: [{ ...known, ...card }] })
      return reply.send({ id })
    },
  )
}

/** Presses a button of a card, as its receiver would in Teams. */
export function teamsPress(
  app: FastifyInstance,
  store: MessageStore,
  key: ConnectorKey,
  gateUrl: (() => string) | undefined,
): void {
  app.post<{ Body: Record<string, string> | null }>(`${base}/press`, async (request, reply) => {
    // A page of another site must not press buttons through the user's browser.
    const site = request.headers['sec-fetch-site']
    if (site !== undefined && site !== 'same-origin') return refuse(reply, 403, 'foreign')
    const { message = '', action = '' } = request.body ?? {}
    const found = store.find(message)
    const button = found && buttonsOf(found.blocks).find(({ verb }) => verb === action)
    const show = (status: number, text: string) =>
      sendPage(
        reply.code(status),
        sandboxPage('Microsoft Teams', `<p>${text} <a href="/">Back to messages</a></p>`),
      )
    if (!found || !button || !gateUrl) return show(404, 'This button is no longer available.')
    const serviceUrl = `http://${request.headers.host}${base}/service/`
    const { app: bot } = found.metadata as Caller
    const answer = await fetch(`${gateUrl().replace(/(?<!\/)\/+$/, '')}/teams/messages`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json; charset=utf-8',
        authorization: `Bearer ${connectorToken(key, { app: bot, serviceUrl })}`,
      },
      body: JSON.stringify(pressActivity(found, button, serviceUrl)),
      signal: AbortSignal.timeout(limits.sandboxPressMs),
    }).catch(() => undefined)
    if (answer?.status !== 200)
      return show(502, `The gate did not accept the activity (status ${answer?.status ?? 0}).`)
    const now = store.find(message)
    if (now) store.append({ messages: [], changed: [{ ...now, pressed: button.title }] })
    return reply.redirect(`/#${encodeURIComponent(message)}`, 303)
  })
}

/** What Teams sends of a press. */
export function pressActivity(
  { metadata, to, id, ts }: SandboxMessage,
  { verb, data }: { verb: string; data: unknown },
  serviceUrl: string,
) {
  const { tenant, app } = metadata as Caller
  return {
    type: 'invoke',
    name: 'adaptiveCard/action',
    id: `f:${randomUUID()}`,
    channelId: 'msteams',
    serviceUrl,
    from: { id: `29:${hash(to)}`, name: 'A person', aadObjectId: to },
    recipient: { id: `28:${app}`, name: 'Gate' },
    conversation: { id: id.split('|')[0], conversationType: 'personal', tenantId: tenant },
    channelData: { tenant: { id: tenant }, source: { name: 'message' } },
    replyToId: ts,
    value: { action: { type: 'Action.Execute', verb, data }, trigger: 'manual' },
  }
}

interface Caller {
  tenant: string
  app: string
}

function callerOf({ headers }: FastifyRequest): Caller | undefined {
  const token = /^Bearer (.+)$/.exec(headers.authorization ?? '')?.[1]
  try {
    return JSON.parse(Buffer.from(token ?? '', 'base64url').toString()) as Caller
  } catch {
    return undefined
  }
}

/** The same person has the same conversation with a bot. */
const conversationOf = (app: string, person: string): string => `a:${app}:${person}`

const hash = (text: string): string => createHash('sha256').update(text).digest('base64url')

function cardIn(activity: Activity | null): Pick<SandboxMessage, 'text' | 'blocks'> | undefined {
  const [card] = Array.isArray(activity?.attachments) ? activity.attachments : []
  if (
    card?.contentType !== 'application/vnd.microsoft.card.adaptive' ||
    card.content?.type !== 'AdaptiveCard'
  )
    return undefined
  if (!Array.isArray(card.content.body)) return undefined
  return { text: cardText(card.content.body), blocks: card.content.body }
}

const refuse = (reply: FastifyReply, status: number, code: string) =>
  reply.code(status).send({ error: { code, message: code } })
