import type { ServerResponse } from 'node:http'
import { Webhook } from 'standardwebhooks'
import { chosenEvents } from '../../src/gate/event-types.ts'
import { listDeliveries } from '../../src/operations/events/deliveries.ts'
import { type EndpointSecrets, addEndpoint } from '../../src/operations/events/endpoints.ts'
import { sendEvent, takeDue } from '../../src/operations/events/send-events.ts'
import type { TestMember } from '../support/account.ts'
import { ringOf } from '../support/connect.ts'
import { type GateOptions, type TestGate, startGate } from '../support/gate.ts'
import { type Received, type StandIn, standIn } from '../executors/stand-in.ts'

export type Answering = (request: Received, response: ServerResponse, n: number) => void | Promise<void>
type AccountOf = Awaited<ReturnType<TestGate['account']>>

export interface Told {
  id: string
  type: string
  timestamp: string
  data: Record<string, unknown> & { seq?: number; action?: number; object?: Record<string, unknown> }
}

/** A receiver on this machine that is an endpoint of an account. */
export interface Receiver extends EndpointSecrets {
  server: StandIn
  /** What it was sent, in order, each checked with its secret by the library of Standard Webhooks. */
  told(): Told[]
  answers(next: Answering): void
}

export interface EventScene {
  gate: TestGate
  context(account: AccountOf): { db: TestGate['deps']['db']; account: string; session: null }
  /** An account with a member who can write. */
  account(): Promise<AccountOf & { ada: TestMember; actor: { email: string } }>
  receiver(
    account: AccountOf,
    options?: { answer?: Answering; types?: string[]; isFull?: boolean; path?: string },
  ): Promise<Receiver>
  /** The newest deliveries of an endpoint. */
  log(account: AccountOf, receiver: Receiver): ReturnType<typeof listDeliveries>
  /** Makes every attempt that is due now, one after the other, until none is. @returns how many there were */
  deliver(): Promise<number>
  stop(): Promise<void>
}

export const taken: Answering = (_request, response) => void response.writeHead(204).end()
export const answering =
  (status: number, headers: Record<string, string> = {}, body = ''): Answering =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body)

export async function eventScene(options: GateOptions = {}): Promise<EventScene> {
  const env = { SECRETS_KEYS: ringOf('k1'), EXECUTOR_ALLOW: '127.0.0.1', ...options.env }
  const gate = await startGate({ workers: false, ...options, env })
  const servers: StandIn[] = []
  const scene: EventScene = {
    gate,
    context: ({ account }) => ({ db: gate.deps.db, account, session: null }),
    async account() {
      const account = await gate.account()
      const ada = await account.addMember({ email: 'ada@example.com', tier: 'write' })
      return { ...account, ada, actor: { email: 'ada@example.com' } }
    },
    async receiver(account, { answer = taken, types, isFull = false, path = '/events' } = {}) {
      let answers = answer
      const server = await standIn((request, response, n) => answers(request, response, n))
      servers.push(server)
      const service = { keys: gate.deps.secretsKeys, allowed: gate.deps.network.allowed }
      const secrets = await addEndpoint(scene.context(account), service, {
        url: server.url + path,
        description: `Receiver ${servers.length}`,
        types: types ? chosenEvents.filter((one) => types.includes(one)) : null,
        isFull,
      })
      return {
        ...secrets,
        server,
        told: () => server.received.map((one) => verified(one, secrets.secret)),
        answers: (next) => void (answers = next),
      }
    },
    log: (account, { endpoint }) =>
      listDeliveries(scene.context(account), { endpointId: endpoint, before: null, limitRows: 100 }),
    async deliver() {
      let sent = 0
      for (;;) {
        const due = await takeDue(gate.deps, 100)
        if (due.length === 0) return sent
        sent += due.length
        await Promise.all(due.map((event) => sendEvent(gate.deps, event, new AbortController().signal)))
      }
    },
    async stop() {
      await gate.stop()
      await Promise.all(servers.map((server) => server.close()))
    },
  }
  return scene
}

/** What a receiver makes of a request. @throws where the signature is not by this secret */
export function verified({ body, headers }: Received, secret: string): Told {
  const sent = new Webhook(secret).verify(body, headers as Record<string, string>) as Omit<Told, 'id'>
  return { id: headers['webhook-id'] as string, ...sent }
}

/** Lets so many milliseconds pass for deliveries and endpoints of all accounts. */
export async function pass({ database }: TestGate, ms: number): Promise<void> {
  const ago = `- interval '${ms} milliseconds'`
  await database.asSuperuser(`
    update gate.event_delivery set due_at = due_at ${ago}, taken_until = taken_until ${ago}, ended_at = ended_at ${ago};
    update gate.endpoint set failing_since = failing_since ${ago}, paused_until = paused_until ${ago};
    update gate.endpoint_secret set valid_until = valid_until ${ago};
    update gate_private.event_account set due_at = now(), cleared_at = cleared_at ${ago}`)
}
