import { randomUUID } from 'node:crypto'
import type { FastifyInstance } from 'fastify'
import { type MessageStore, actionNumber } from '../message-store.ts'

/** What a workflow reads of a request: the cards of a message. */
interface Post {
  type?: unknown
  attachments?: { contentType?: unknown; content?: { type?: unknown; body?: Block[] } }[]
}

interface Block {
  type?: unknown
  inlines?: { text?: unknown }[]
}

/**
 * Workflows that post in rooms of Microsoft Teams. Each path is a room; one that contains `missing` is none. As there, the answer
 * comes before the workflow runs, and a card that it cannot read is posted nowhere.
 */
export function teamsApi(app: FastifyInstance, store: MessageStore): void {
  app.post('/teams/*', (request, reply) => {
    const { '*': room } = request.params as { '*': string }
    if (room.includes('missing'))
      return reply
        .code(404)
        .send({ error: { code: 'WorkflowNotFound', message: 'The workflow was not found.' } })
    const text = textOf(request.body as Post | null)
    const action = actionNumber(request.headers['x-gate-action'])
    if (text !== undefined)
      store.append({
        messages: [
          {
            id: randomUUID(),
            channel: 'teams',
            to: `/${room}`,
            text,
            at: new Date().toISOString(),
            ...(action === undefined ? {} : { action }),
          },
        ],
      })
    return reply.code(202).send()
  })
}

/** What people there read; undefined: the workflow fails, which nobody is told. */
function textOf(post: Post | null): string | undefined {
  const [card] = Array.isArray(post?.attachments) ? post.attachments : []
  if (post?.type !== 'message' || card?.contentType !== 'application/vnd.microsoft.card.adaptive')
    return undefined
  if (card.content?.type !== 'AdaptiveCard' || !Array.isArray(card.content.body)) return undefined
  return card.content.body
    .map(({ inlines = [] }) => inlines.map(({ text }) => String(text)).join(''))
    .join('\n')
}
