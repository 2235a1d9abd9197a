import type { FastifyInstance } from 'fastify'
import { html, sendPage } from '../web/html.ts'
import { refuseOtherMethods } from '../transports/rest.ts'

/**
 * The page a customer returns to from the payment provider. It says nothing about the payment, because it proves none.
 */
export function checkoutDoneRoutes(app: FastifyInstance): void {
  app.get('/checkout/done', (request, reply) => {
    const isCancelled = (request.query as Record<string, unknown>)['cancelled'] !== undefined
    const [title, text] = isCancelled
      ? ['Payment not completed', 'You left the payment page. The payment link works until it expires.']
      : ['Thank you', 'You can close this page. The payment provider informs the seller.']
    return sendPage(reply, { status: 200, title: title!, body: html`<p>${text!}</p>` })
  })
  refuseOtherMethods(app, '/checkout/done', ['GET'])
}
