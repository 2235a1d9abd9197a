import type { FastifyInstance } from 'fastify'
import { html, sendPage } from '../web/html.ts'
import { refuseOtherMethods } from '../transports/rest.ts'

/** Where a customer comes back to from the payment provider's page. Says nothing about the payment: it proves none. */
export function checkoutDoneRoute(app: FastifyInstance): void {
  app.get('/checkout/done', (request, reply) => {
    const isCancelled = (request.query as Record<string, unknown>)['cancelled'] !== undefined
    const [title, text] = isCancelled
      ? ['Nothing was paid', 'You left the payment page. Its link works until it expires.']
      : ['Thank you', 'You can close this page. The seller hears from the payment provider.']
    return sendPage(reply, { status: 200, title: title!, body: html`<p>${text!}</p>` })
  })
  refuseOtherMethods(app, '/checkout/done', ['GET'])
}
