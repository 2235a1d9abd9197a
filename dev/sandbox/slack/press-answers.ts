import { randomBytes } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { limits } from '../../../src/limits.ts'
import type { MessageStore } from '../message-store.ts'
import { bot } from './api.ts'

/** Takes what an app answers to who pressed a button, at the path of the `response_url` that the press carried. */
export function pressAnswers(app: FastifyInstance, store: MessageStore) {
  const pressedBy = new Map<string, string>()
  app.post<{ Params: { code: string }; Body: { text?: unknown } | null }>(
    `/slack/actions/${bot.team_id}/:code`,
    async (request, reply) => {
      const { code } = request.params
      const [to, text] = [pressedBy.get(code), request.body?.text]
      if (to === undefined || typeof text !== 'string')
        return reply.code(404).send({ ok: false, error: 'expired_url' })
      const id = `${code}:${randomBytes(6).toString('hex')}`
      store.append({ messages: [{ id, channel: 'slack', to, text, at: new Date().toISOString() }] })
      return { ok: true }
    },
  )
  return {
    urlFor(user: string): string {
      const code = randomBytes(12).toString('hex')
      pressedBy.set(code, user)
      if (pressedBy.size > limits.sandboxSlackCodesMax) pressedBy.delete(pressedBy.keys().next().value!)
      return `https://hooks.slack.com/actions/${bot.team_id}/${code}`
    },
  }
}
