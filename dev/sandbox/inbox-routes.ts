import type { FastifyInstance } from 'fastify'
import { limits } from '../../src/limits.ts'
import { inboxPage } from './inbox-page.ts'
import { mailHtml, messagePage } from './message-page.ts'
import type { MessageStore, SandboxMessage } from './message-store.ts'
import { sandboxPage, sendFrame, sendPage } from './sandbox-page.ts'
import type { StripeStore } from './stripe/store.ts'

interface InboxQuery {
  limit?: string
  mailbox?: string
  refresh?: string
}

/** The page of all messages, of one mailbox, and of one message. JSON with `Accept: application/json`. */
export function inboxRoutes(
  app: FastifyInstance,
  {
    store,
    stripe,
    publicUrl,
  }: { store: MessageStore; stripe: StripeStore; publicUrl: (() => string) | undefined },
): void {
  const consoleUrl = () => (publicUrl ? `${publicUrl().replace(/(?<!\/)\/+$/, '')}/console` : undefined)

  app.get<{ Querystring: InboxQuery }>('/', (request, reply) => {
    const { limit, mailbox: given, refresh } = request.query
    const mailbox = typeof given === 'string' && given !== '' ? given : undefined
    const rows = rowsOf(limit)
    const messages = store.newest(rows, mailbox)
    // Money belongs to no mailbox.
    const operations = mailbox === undefined ? stripe.operations(rows) : []
    if (!request.headers.accept?.includes('application/json')) {
      const shown = { messages, operations, mailboxes: store.mailboxes(), mailbox }
      const page = inboxPage({ ...shown, consoleUrl: consoleUrl(), isReloading: refresh === '1' })
      return sendPage(reply, page)
    }
    void reply.headers({ 'Cache-Control': 'no-store', 'X-Content-Type-Options': 'nosniff' })
    void reply.send({ sandbox: true, messages: messages.map(publicPart), stripe: operations })
  })

  app.get<{ Params: { id: string } }>('/messages/:id', (request, reply) => {
    const message = store.find(request.params.id)
    if (!message) return sendPage(reply.code(404), absent)
    sendPage(reply, messagePage(message, consoleUrl()))
  })

  app.get<{ Params: { id: string } }>('/messages/:id/html', (request, reply) => {
    const html = store.find(request.params.id)?.html
    if (html === undefined) return sendPage(reply.code(404), absent)
    sendFrame(reply, mailHtml(html))
  })
}

const absent = sandboxPage(
  'Message not found',
  '<p>This message was not found: only the newest messages are kept. <a href="/">Show all messages</a></p>',
)

function rowsOf(limit: string | undefined): number {
  return limit && /^\d{1,6}$/.test(limit)
    ? Math.min(Math.max(Number(limit), 1), limits.sandboxPageRowsMax)
    : limits.sandboxPageRowsDefault
}

function publicPart({ id, channel, to, subject, text, at, blocks, action }: SandboxMessage) {
  return { id, channel, to, subject, text, at, blocks, action }
}
