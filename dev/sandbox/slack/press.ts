import type { FastifyInstance } from 'fastify'
import { sandboxApp } from '../../../src/providers/sandbox-app.ts'
import { slackSignature } from '../../../src/providers/slack/signature.ts'
import type { MessageStore } from '../message-store.ts'
import { sandboxPage, sendPage } from '../sandbox-page.ts'
import { bot } from './api.ts'
import { pressAnswers } from './press-answers.ts'
import { labelOf, valueOf } from './blocks.ts'
import { limits } from '../../../src/limits.ts'

/**
 * Presses a button of a message, as its recipient would in Slack: sends a signed interaction to the gate.
 * @param gateUrl  the address of the API
 */
export function slackPress(
  app: FastifyInstance,
  store: MessageStore,
  gateUrl: (() => string) | undefined,
): void {
  const answers = pressAnswers(app, store)
  app.post<{ Body: Record<string, string> }>('/slack/press', async (request, reply) => {
    // A page of another site must not press buttons through the user's browser.
    const site = request.headers['sec-fetch-site']
    if (site !== undefined && site !== 'same-origin')
      return reply.code(403).send({ ok: false, error: 'foreign' })
    const { message = '', action = '' } = request.body ?? {}
    const found = store.find(message)
    const value = found && valueOf(found.blocks, action)
    if (!found || value === undefined || !gateUrl) {
      void reply.code(404)
      return sendPage(
        reply,
        sandboxPage('Slack', '<p>This button is no longer available. <a href="/">Back to messages</a></p>'),
      )
    }
    const [channel = '', ts = ''] = message.split(':')
    const status = await postInteraction(gateUrl(), {
      type: 'block_actions',
      team: { id: bot.team_id, domain: 'sandbox' },
      user: { id: found.to, team_id: bot.team_id },
      container: { type: 'message', channel_id: channel, message_ts: ts, is_ephemeral: false },
      channel: { id: channel, name: 'directmessage' },
      response_url: answers.urlFor(found.to),
      actions: [{ type: 'button', block_id: 'gate_decision', action_id: action, value, action_ts: ts }],
    })
    if (status === 200) {
      // The gate may have changed the message before it answered.
      const now = store.find(message)
      const pressed = labelOf(found.blocks, action)
      if (now) store.append({ messages: [], changed: [{ ...now, pressed }] })
      return reply.redirect(`/#${encodeURIComponent(message)}`, 303)
    }
    void reply.code(502)
    return sendPage(
      reply,
      sandboxPage(
        'Slack',
        `<p>The gate did not accept the interaction (status ${status}). <a href="/">Back to messages</a></p>`,
      ),
    )
  })
}

/** @returns the HTTP status of the answer; 0 where the gate could not be reached */
async function postInteraction(gate: string, payload: object): Promise<number> {
  const body = Buffer.from(new URLSearchParams({ payload: JSON.stringify(payload) }).toString())
  const timestamp = String(Math.floor(Date.now() / 1_000))
  const answer = await fetch(`${gate.replace(/(?<!\/)\/+$/, '')}/integrations/slack/interactions`, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      'x-slack-request-timestamp': timestamp,
      'x-slack-signature': slackSignature({ timestamp, body }, sandboxApp.signingSecret),
    },
    body,
    signal: AbortSignal.timeout(limits.sandboxPressMs),
  }).catch(() => undefined)
  return answer?.status ?? 0
}
