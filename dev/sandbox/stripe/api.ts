import type { FastifyBaseLogger, FastifyInstance, FastifyRequest } from 'fastify'
import { stripeAnswers } from './answers.ts'
import { checkoutEndpoints } from './checkout.ts'
import type { StripeEndpoint } from './endpoint.ts'
import { checkKey, errorBody, invalidRequest, StripeRefusal } from './errors.ts'
import { newId } from './objects.ts'
import { parseForm } from './parameters.ts'
import { payoutEndpoints } from './payouts.ts'
import { readEndpoints } from './reads.ts'
import { refundEndpoints } from './refunds.ts'
import type { StripeStore } from './store.ts'
import { subscriptionEndpoints } from './subscriptions.ts'
import { limits } from '../../../src/limits.ts'

/** The API version of these objects. */
const apiVersion = '2026-10-28.endive'

const endpoints: StripeEndpoint[] = [
  ...readEndpoints,
  ...refundEndpoints,
  ...payoutEndpoints,
  ...subscriptionEndpoints,
  ...checkoutEndpoints,
]

/**
 * The part of Stripe's API that the gate calls, with Stripe's errors, lists and idempotency keys. Any secret or
 * restricted API key is accepted, and all belong to one account. A key that contains `invalid` is refused.
 * @param app  its own scope, below `/v1`
 */
export function stripeApi(
  app: FastifyInstance,
  store: StripeStore,
  log?: Pick<FastifyBaseLogger, 'error'>,
): void {
  const answers = stripeAnswers(store)
  takeForms(app)
  app.addHook('onRequest', (request, reply, done) => {
    const version = request.headers['stripe-version'] ?? apiVersion
    void reply.headers({ 'request-id': newId('req_', 14), 'stripe-version': version })
    checkKey(request.headers.authorization)
    done()
  })
  // A request is running until here, also while the sandbox delays its answer.
  app.addHook('onSend', (request, _reply, _payload, done) => {
    answers.release(keyOf(request), request)
    done()
  })
  for (const endpoint of endpoints) {
    const { method, path: url } = endpoint
    app.route<{ Params: { id?: string } }>({
      method,
      url,
      bodyLimit: limits.sandboxStripeBodyBytesMax,
      handler: (request, reply) => {
        const key = method === 'POST' ? keyOf(request) : undefined
        const { status, body, originalRequest } = answers.answer(endpoint, {
          id: request.params.id ?? '',
          origin: `http://${request.headers.host}`,
          path: pathOf(request),
          form: formOf(request),
          requestId: String(reply.getHeader('request-id')),
          key,
          holder: request,
        })
        if (key !== undefined) void reply.header('idempotency-key', key)
        if (originalRequest !== undefined)
          void reply.headers({ 'idempotent-replayed': 'true', 'original-request': originalRequest })
        void reply.code(status).send(body)
      },
    })
  }
  app.setNotFoundHandler((request) => {
    throw invalidRequest(`Unrecognized request URL (${request.method}: ${pathOf(request)}).`, { status: 404 })
  })
  app.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    const { status, problem } = error instanceof StripeRefusal ? error : refusalOf(error)
    if (status >= 500) log?.error({ err: error, path: request.url }, 'sandbox Stripe request failed')
    void reply.code(status).send(errorBody(problem))
  })
}

/** Keeps bodies as text: parameters use Stripe's brackets, in the body and in the address. */
function takeForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers()
  const form = 'application/x-www-form-urlencoded'
  app.addContentTypeParser(form, { parseAs: 'string' }, (_request, body, done) => done(null, body))
}

function formOf(request: FastifyRequest) {
  const texts = [request.url.split('?')[1], request.body as string | undefined]
  return parseForm(texts.filter(Boolean).join('&'))
}

const pathOf = (request: FastifyRequest) => request.url.split('?')[0]!

function keyOf(request: FastifyRequest): string | undefined {
  return request.headers['idempotency-key'] as string | undefined
}

/** The error for a request that the server itself refused, or for a fault. */
function refusalOf({ statusCode: status = 500 }: { statusCode?: number }): StripeRefusal {
  if (status < 500) return invalidRequest('The request could not be read.', { status })
  return new StripeRefusal(500, { type: 'api_error', message: 'The sandbox failed.' })
}
