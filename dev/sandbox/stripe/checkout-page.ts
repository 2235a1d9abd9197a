import type { FastifyInstance } from 'fastify'
import { formatAmount } from '../../../src/gate/money.ts'
import { escapeHtml } from '../../../src/text/escape.ts'
import { sandboxPage, sendPage } from '../sandbox-page.ts'
import type { CheckoutSession, LineItem } from './objects.ts'
import type { StripeStore } from './store.ts'

/** The page of a checkout. It shows what would be paid; no payment is possible. */
export function checkoutPage(app: FastifyInstance, store: StripeStore): void {
  app.get<{ Params: { id: string } }>('/checkout/:id', (request, reply) => {
    const session = store.find('checkout.session', request.params.id)
    if (!session) void reply.code(404)
    sendPage(
      reply,
      sandboxPage('Sandbox checkout', session ? content(session) : '<p>Checkout not found.</p>'),
    )
  })
}

function content(session: CheckoutSession): string {
  const { amount_total: total, currency, line_items: items, status } = session
  return `<p class="notice" role="note">Sandbox: this page replaces Stripe's payment page. Payments are not possible here.</p>
<ul>
${items.data.map(row).join('\n')}
</ul>
<p>Total: <strong>${formatAmount(total, currency)}</strong></p>
${status === 'open' ? links(session) : '<p>This checkout has expired.</p>'}`
}

function row({ description, quantity, amount_total: amount, currency, price }: LineItem): string {
  return `<li>${quantity} × ${escapeHtml(description)}: ${formatAmount(amount, currency)}${every(price)}</li>`
}

function every({ recurring }: LineItem['price']): string {
  if (!recurring) return ''
  const { interval, interval_count: count } = recurring
  return count === 1 ? ` every ${interval}` : ` every ${count} ${interval}s`
}

function links({ id, success_url: success, cancel_url: cancel }: CheckoutSession): string {
  const paid = link(success.replaceAll('{CHECKOUT_SESSION_ID}', id), 'Return page after payment')
  return `<p>${cancel === null ? paid : `${paid} · ${link(cancel, 'Return without paying')}`}</p>`
}

const link = (url: string, label: string) =>
  `<a href="${escapeHtml(url)}" rel="noreferrer noopener">${label}</a>`
