import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { slackAction } from '../consent/slack-card.ts'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import { jsonProblem } from '../gate/json/exact-json.ts'
import { type ChatClick, type ChatPress, decidePressWithin } from '../operations/decisions/decide-in-chat.ts'
import { isSignedBySlack } from '../providers/slack/signature.ts'
import { refuseOtherMethods } from './rest.ts'
import { depsOf } from '../web/request-deps.ts'

/** The most buttons that one press may name: Slack sends one. */
const slackPressedButtonsMax = 10
const slackResponseUrlCharsMax = 2_000

/** A click in Slack is answered after this time at the latest: Slack waits three seconds. */
const slackAckMs = 2_000
const slackClockSkewMs = 300_000
const slackInteractionBytesMax = 262_144

export const slackInteractionsPath = '/integrations/slack/interactions'

/**
 * Receives clicks on the buttons of our Slack messages. Slack signs the raw body, so the body is kept as received and is
 * not parsed before its signature is verified.
 */
export async function slackInteractionRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser(
      'application/x-www-form-urlencoded',
      { parseAs: 'buffer' },
      (_request, body, done) => done(null, body),
    )
    scope.post(slackInteractionsPath, { bodyLimit: slackInteractionBytesMax }, async (request, reply) => {
      const body = verifiedBody(deps, request)
      const press = pressOf(deps, body)
      if (press) await decidePressWithin(depsOf(deps, request), press, slackAckMs)
      // No body: Slack would replace the message with it.
      return reply.code(200).send()
    })
    refuseOtherMethods(scope, slackInteractionsPath, ['POST'])
  })
}

/** @throws GateError `unauthenticated` if the signature or its time is wrong; `not_found` if no Slack app is configured */
function verifiedBody(deps: Deps, { headers, body }: FastifyRequest): Buffer {
  const secret = deps.providers.slackSigningSecret
  if (secret === undefined) throw new GateError('not_found', 'Not found.')
  const given = {
    signature: oneOf(headers['x-slack-signature']),
    timestamp: oneOf(headers['x-slack-request-timestamp']),
    body: Buffer.isBuffer(body) ? body : Buffer.alloc(0),
  }
  if (!isSignedBySlack(given, secret, Date.now(), slackClockSkewMs)) {
    throw new GateError('unauthenticated', 'The Slack signature or its timestamp is not valid.')
  }
  return given.body
}

const oneOf = (header: string | string[] | undefined) => (typeof header === 'string' ? header : undefined)

const id = z.string().regex(/^[A-Z0-9]{1,64}$/)
const ts = z.string().regex(/^\d{1,12}\.\d{1,9}$/)
/** A part that Slack may leave out or send in another form. */
const maybe = <Part extends z.ZodType>(part: Part) => part.optional().catch(undefined)
const named = z.object({ id, enterprise_id: maybe(id) })

/**
 * What is read of an interaction. A press decides only if its parts say whose it is.
 * @source Slack, `block_actions` payload: `team` is null where the app is installed for an organization; `enterprise`
 */
const interaction = z.object({
  type: z.string(),
  team: z.unknown().optional(),
  user: maybe(z.object({ id, team_id: maybe(id) })),
  enterprise: maybe(named),
  is_enterprise_install: maybe(z.boolean()),
  container: maybe(z.object({ channel_id: maybe(id), message_ts: maybe(ts) })),
  channel: maybe(named),
  message: maybe(z.object({ ts })),
  response_url: maybe(z.string().max(slackResponseUrlCharsMax)),
  actions: z.array(z.unknown()).catch([]),
})
const button = z.object({ action_id: z.string(), value: z.string() })

/** The press in a request body; undefined if it is none. */
function pressOf(deps: Deps, body: Buffer): ChatPress | undefined {
  const payload = new URLSearchParams(body.toString('utf8')).get('payload') ?? ''
  const { data } = interaction.safeParse(jsonOrUndefined(payload))
  if (!data) return undefined
  const { response_url: responseUrl } = data
  return {
    via: 'slack',
    isAmongOthers: false,
    isExact: jsonProblem(payload) === undefined,
    workspaces: teamsOf(data),
    organization: data.is_enterprise_install ? data.enterprise?.id : undefined,
    userId: data.user?.id,
    clicks: data.type === 'block_actions' ? clicksOf(data.actions) : [],
    isDecline: data.actions.slice(0, slackPressedButtonsMax).some(isDecline),
    message: messageOf(data),
    answer: async (sentence) =>
      responseUrl !== undefined && deps.providers.answerSlackPress(responseUrl, sentence),
  }
}

/** Parses also a text that readers differ about, so that who pressed is told. */
function jsonOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

type Interaction = z.infer<typeof interaction>

/** The workspace that Slack names is the one. Only where it names none, the user's own counts. */
function teamsOf({ team, user }: Interaction): string[] {
  const { data } = named.nullish().safeParse(team)
  const isUnnamed = team === null || team === undefined
  return [data?.id, data?.enterprise_id, isUnnamed ? user?.team_id : undefined].filter(
    (one) => one !== undefined,
  )
}

function messageOf({ container, channel, message }: Interaction): ChatPress['message'] {
  const where = container?.channel_id ?? channel?.id
  const when = container?.message_ts ?? message?.ts
  return where === undefined || when === undefined ? undefined : { channel: where, id: when }
}

/** The pressed buttons of ours, each once. */
function clicksOf(actions: unknown[]): ChatClick[] {
  const clicks = new Map<string, ChatClick>()
  for (const action of actions.slice(0, slackPressedButtonsMax)) {
    const { data } = button.safeParse(action)
    const does = data && decisionByAction.get(data.action_id)
    if (does) clicks.set(`${does} ${data.value}`, { does, token: data.value })
  }
  return [...clicks.values()]
}

const isDecline = (action: unknown): boolean =>
  z.object({ action_id: z.literal(slackAction.decline) }).safeParse(action).success

// A map: an object would also have what every object has, under names such as `__proto__`.
const decisionByAction = new Map<string, ChatClick['does']>([
  [slackAction.approve, 'confirm'],
  [slackAction.decline, 'decline'],
])
