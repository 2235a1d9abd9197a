import { setTimeout as sleep } from 'node:timers/promises'
import type { AddressInfo } from 'node:net'
import { parse as parseForm } from 'node:querystring'
import Fastify, {
  type FastifyBaseLogger,
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
} from 'fastify'
import { escapeHtml } from '../../src/text/escape.ts'
import { checkoutPage } from './stripe/checkout-page.ts'
import { inboxRoutes } from './inbox-routes.ts'
import { openMessageStore, type SandboxMessage } from './message-store.ts'
import { resendApi } from './resend/api.ts'
import { sandboxPage, sendPage } from './sandbox-page.ts'
import { slackApi } from './slack/api.ts'
import { slackPress } from './slack/press.ts'
import { teamsApi } from './teams/api.ts'
import { teamsBotApi, teamsPress } from './teams/bot.ts'
import type { ConnectorKey } from './teams/bot-keys.ts'
import { stripeApi } from './stripe/api.ts'
import { nowSeconds } from './stripe/objects.ts'
import { stripeSeed } from './stripe/seed.ts'
import { openStripeStore, type StripeOperation } from './stripe/store.ts'
import { limits } from '../../src/limits.ts'

export interface SandboxOptions {
  /** 0 or absent: any free port. */
  port?: number
  /** Absent: loopback. Use another address only in a container, where the published port is bound outside. */
  host?: string
  /** The file of messages, with the Stripe data in a second file beside it; absent: memory only. */
  dataFile?: string
  /** The API, which receives pressed buttons. A function, because the address may not be known yet. Absent: nowhere. */
  gateUrl?: () => string
  /** The address at which people reach the API, for links to the console. Absent: `gateUrl`. */
  publicUrl?: () => string
  /** Delay added to every provider answer, after the work is done. */
  latencyMs?: number
  log?: Pick<FastifyBaseLogger, 'error'>
}

export interface Sandbox {
  /** The page with messages and Stripe operations; JSON with `Accept: application/json`. */
  url: string
  slackApiUrl: string
  resendBaseUrl: string
  /** Without a path: Stripe's SDK takes a host, a port and a protocol. */
  stripeApiUrl: string
  /** Signs calls to bots in Teams. */
  connector: ConnectorKey
  /** Newest first. */
  messages(limit?: number): SandboxMessage[]
  /** Operations that would have moved money or led to it, newest first. */
  stripeOperations(limit?: number): StripeOperation[]
  stop(): Promise<void>
}

/**
 * Simulated Slack, Resend, Microsoft Teams and Stripe on the loopback interface, called through the real SDKs. A page shows what they
 * would have done.
 */
export async function startSandbox({
  port = 0,
  host = '127.0.0.1',
  dataFile,
  gateUrl,
  publicUrl = gateUrl,
  latencyMs = 0,
  log,
}: SandboxOptions = {}): Promise<Sandbox> {
  const store = openMessageStore(dataFile)
  const stripe = openStripeStore(() => stripeSeed(nowSeconds()), dataFile && stripeFile(dataFile))
  const app: FastifyInstance = Fastify({
    logger: false,
    bodyLimit: limits.sandboxBodyBytesMax,
    forceCloseConnections: true,
    frameworkErrors: (_error, request, reply: FastifyReply) =>
      refuse(request, reply.code(400), { ok: false, error: 'bad_address' }),
  })
  app.addContentTypeParser(
    'application/x-www-form-urlencoded',
    { parseAs: 'string' },
    (_request, body, done) => done(null, parseForm(String(body), '&', '=', { maxKeys: 50 })),
  )
  refuseForeignHosts(app, host)
  app.setErrorHandler((error: { statusCode?: number }, request, reply) => {
    const status = error.statusCode ?? 500
    if (status >= 500) log?.error({ err: error, path: request.url }, 'sandbox request failed')
    refuse(request, reply.code(status), {
      ok: false,
      error: 'sandbox_refused',
      statusCode: status,
      name: 'application_error',
    })
  })
  app.setNotFoundHandler((request, reply) =>
    refuse(request, reply.code(404), { ok: false, error: 'not_found' }),
  )
  let connector!: ConnectorKey
  await app.register(async (providers) => {
    if (latencyMs > 0) providers.addHook('onSend', () => sleep(latencyMs, undefined, { ref: false }))
    slackApi(providers, store)
    resendApi(providers, store)
    teamsApi(providers, store)
    connector = teamsBotApi(providers, store)
    await providers.register(async (v1) => stripeApi(v1, stripe, log), { prefix: '/v1' })
  })
  inboxRoutes(app, { store, stripe, publicUrl })
  checkoutPage(app, stripe)
  slackPress(app, store, gateUrl)
  teamsPress(app, store, connector, gateUrl)

  await app.listen({ host, port })
  // Regardless of the listening address, this process and browsers use loopback.
  const address = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`
  return {
    url: `${address}/`,
    slackApiUrl: `${address}/slack/api/`,
    resendBaseUrl: `${address}/resend`,
    stripeApiUrl: address,
    connector,
    messages: (limit) => store.newest(limit),
    stripeOperations: (limit) => stripe.operations(limit),
    async stop() {
      await app.close()
      store.close()
      stripe.close()
    },
  }
}

/** Beside the messages: `sandbox.jsonl` and `sandbox.stripe.jsonl`. */
function stripeFile(dataFile: string): string {
  return dataFile.replace(/(\.jsonl)?$/, '.stripe.jsonl')
}

/** A person gets a page, programs get what a provider would answer. */
function refuse(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: { error: string } & Record<string, unknown>,
): void {
  if (!request.headers.accept?.includes('text/html')) return void reply.send(answer)
  const text = `The sandbox refused this: ${answer.error.replace(/\.$/, '')}.`
  sendPage(reply, sandboxPage('Not shown', `<p>${escapeHtml(text)} <a href="/">Show all messages</a></p>`))
}

/** Prevents DNS rebinding: a page on another site must not read the mailboxes under its own host name. */
function refuseForeignHosts(app: FastifyInstance, listensOn: string): void {
  // Other containers use the service name: a single label, which is never a public host name.
  const own =
    listensOn === '127.0.0.1' ? loopbackHost : new RegExp(`${loopbackHost.source}|^[a-z\\d-]+(:\\d+)?$`, 'i')
  app.addHook('onRequest', (request, reply, done) => {
    if (own.test(request.headers.host ?? '')) return done()
    refuse(request, reply.code(421), { error: 'Open the sandbox at http://127.0.0.1 with its port.' })
  })
}

const loopbackHost = /^(127\.0\.0\.1|localhost|\[::1\])(:\d+)?$/i
