import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { slackAction } from '../consent/slack-card.ts'
import type { Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import { exactJsonOrUndefined } from '../gate/exact-json.ts'
import { limits } from '../limits.ts'
import { type SlackClick, decideInSlack, sayUndecided } from '../operations/decisions/decide-in-slack.ts'
import { isSignedBySlack } from '../providers/slack/signature.ts'
import { finishesWithin } from '../waiting/finishes-within.ts'
import { refuseOtherMethods } from './rest.ts'

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
    scope.post(
      slackInteractionsPath,
      { bodyLimit: limits.slackInteractionBytesMax },
      async (request, reply) => {
        const body = verifiedBody(deps, request)
        const click = clickOf(body)
        if (click) await decideWithinAckTime(deps, click)
        // No body: Slack would replace the message with it.
        return reply.code(200).send()
      },
    )
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
  if (!isSignedBySlack(given, secret, Date.now(), limits.slackClockSkewMs)) {
    throw new GateError('unauthenticated', 'The Slack signature or its timestamp is not valid.')
  }
  return given.body
}

const oneOf = (header: string | string[] | undefined) => (typeof header === 'string' ? header : undefined)

const id = z.string().regex(/^[A-Z0-9]{1,64}$/)
const blockActions = z.object({
  type: z.literal('block_actions'),
  team: z.object({ id }),
  user: z.object({ id }),
  container: z.object({
    channel_id: id,
    message_ts: z.string().regex(/^\d{1,12}\.\d{1,9}$/),
  }),
  actions: z.array(z.object({ action_id: z.string(), value: z.string().optional() })).length(1),
})

/** The click in a request body; undefined if it is not a click on one of our buttons. */
function clickOf(body: Buffer): SlackClick | undefined {
  const payload = new URLSearchParams(body.toString('utf8')).get('payload')
  const parsed = blockActions.safeParse(payload === null ? undefined : exactJsonOrUndefined(payload))
  if (!parsed.success) return undefined
  const { team, user, container, actions } = parsed.data
  const { action_id: actionId, value } = actions[0]!
  const does = decisionByAction.get(actionId)
  if (does === undefined || value === undefined) return undefined
  const message = { channel: container.channel_id, ts: container.message_ts }
  return { teamId: team.id, userId: user.id, does, token: value, message }
}

// A map: an object would also have what every object has, under names such as `__proto__`.
const decisionByAction = new Map<string, SlackClick['does']>([
  [slackAction.approve, 'confirm'],
  [slackAction.decline, 'decline'],
])

/**
 * Waits for the decision, but answers before Slack's time limit and continues in the background. An error before the answer
 * is shown by Slack; an error after it is shown in the message.
 */
async function decideWithinAckTime(deps: Deps, click: SlackClick): Promise<void> {
  const deciding = decideInSlack(deps, click)
  if (await finishesWithin(limits.slackAckMs, deciding)) return
  deps.background.start('due', 'Slack click', () =>
    deciding.catch(async (error: unknown) => {
      await sayUndecided(deps, click).catch((unsaid: unknown) =>
        deps.log.warn({ err: unsaid }, 'Slack message could not be updated'),
      )
      throw error
    }),
  )
}
