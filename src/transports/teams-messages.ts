import { isUtf8 } from 'node:buffer'
import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { slackAction as verbs } from '../consent/slack-card.ts'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import { jsonProblem } from '../gate/json/exact-json.ts'
import { botCallNotTaken, verifiedBotCall } from '../operations/decisions/bot-call.ts'
import { type ChatPress, type Pressed, decidePressWithin } from '../operations/decisions/decide-in-chat.ts'
import { workspaceOf } from '../providers/teams-bot/bot.ts'
import type { BotCall } from '../providers/teams-bot/tokens.ts'
import { finishesWithin } from '../waiting/finishes-within.ts'
import { depsOf } from '../web/request-deps.ts'
import { refuseOtherMethods } from './rest.ts'

/** A press is answered after this time at the latest: Teams shows an error after some ten seconds. */
const teamsAckMs = 5_000
/** How long the sentence to who pressed is waited for, once it is decided that there is one. */
const sentenceMs = 1_000
const activityBytesMax = 262_144

/** The messaging endpoint of bots. */
export const teamsMessagesPath = '/teams/messages'

/**
 * Receives what Microsoft sends to the bots of accounts. Whose bot it is for, a token says, which is verified before anything of the
 * body is read. Only presses of our buttons do something.
 */
export async function teamsMessageRoutes(app: FastifyInstance, deps: Deps): Promise<void> {
  await app.register(async (scope) => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) =>
      done(null, body),
    )
    scope.post(teamsMessagesPath, { bodyLimit: activityBytesMax }, async (request, reply) => {
      const call = await verifiedBotCall(deps, request.headers.authorization)
      const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
      const { data } = activity.safeParse(jsonOrUndefined(body.toString('utf8')))
      if (!data) throw new GateError('invalid', 'This is no activity of Microsoft Teams.')
      if (data.channelId !== 'msteams' || data.serviceUrl !== call.serviceUrl) throw botCallNotTaken()
      if (data.type !== 'invoke' || data.name !== 'adaptiveCard/action') return reply.code(200).send()
      const value = await answerTo(depsOf(deps, request), pressOf(data, call, body))
      return reply
        .code(200)
        .send({ statusCode: 200, type: 'application/vnd.microsoft.activity.message', value })
    })
    refuseOtherMethods(scope, teamsMessagesPath, ['POST'])
  })
}

/** A part that Teams may leave out or send in another form. */
const maybe = <Part extends z.ZodType>(part: Part) => part.optional().catch(undefined)
const objectId = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i)
  .transform((text) => text.toLowerCase())
const text = z.string().max(1_000)

/** What is read of an activity. A press decides only if its parts say whose it is, and where it was pressed. */
const activity = z.object({
  type: text,
  name: maybe(text),
  channelId: text,
  serviceUrl: text,
  from: maybe(z.object({ aadObjectId: maybe(objectId) })),
  conversation: maybe(z.object({ conversationType: maybe(text), tenantId: maybe(objectId) })),
  channelData: maybe(z.object({ tenant: maybe(z.object({ id: objectId })) })),
  replyToId: maybe(text),
  value: z.unknown().optional(),
})
type Activity = z.infer<typeof activity>

const pressed = z.object({
  action: z.object({ verb: z.string(), data: z.unknown().optional() }),
})
const carried = z.object({ token: z.string() })

const doesByVerb = new Map<string, 'confirm' | 'decline'>([
  [verbs.approve, 'confirm'],
  [verbs.decline, 'decline'],
])

/** Who pressed, and where, is what Microsoft says of the call; of what the button carries, only verb and token are read. */
function pressOf(
  { from, conversation, channelData, replyToId, value }: Activity,
  { appId }: BotCall,
  body: Buffer,
): Omit<ChatPress, 'answer'> {
  const action = pressed.safeParse(value).data?.action
  const does = doesByVerb.get(action?.verb ?? '')
  const token = carried.safeParse(action?.data).data?.token
  const userId = from?.aadObjectId
  const tenant = conversation?.tenantId
  const isSame = tenant !== undefined && tenant === channelData?.tenant?.id
  return {
    via: 'teams',
    isExact: isUtf8(body) && jsonProblem(body.toString('utf8')) === undefined,
    isAmongOthers: conversation?.conversationType !== 'personal',
    workspaces: isSame ? [workspaceOf({ tenant, app: appId })] : [],
    organization: undefined,
    userId,
    clicks: does === undefined || token === undefined ? [] : [{ does, token }],
    isDecline: does === 'decline',
    message: userId === undefined || replyToId === undefined ? undefined : { user: userId, id: replyToId },
  }
}

function jsonOrUndefined(given: string): unknown {
  try {
    return JSON.parse(given)
  } catch {
    return undefined
  }
}

/** Decides, and answers the sentence that Teams shows to who pressed, and to nobody else. */
async function answerTo(deps: Deps, press: Omit<ChatPress, 'answer'>): Promise<string> {
  let said: string | undefined
  let isAnswered = false
  let say: () => void = () => undefined
  const sentence = new Promise<void>((resolve) => (say = resolve))
  // What comes after the answer is sent as a message.
  const answer: ChatPress['answer'] = async (words) => {
    if (isAnswered || said !== undefined) return false
    said = words
    say()
    return true
  }
  const became = await decidePressWithin(deps, { ...press, answer }, teamsAckMs)
  if (became === 'refused') await finishesWithin(sentenceMs, sentence)
  isAnswered = true
  return said ?? words[became]
}

const words: Record<Pressed, string> = {
  decided: 'Received. The card shows the outcome.',
  refused: 'Nothing was decided.',
  later: 'Received. The card shows the outcome in a moment.',
}
