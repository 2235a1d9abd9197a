import type { ServerResponse } from 'node:http'
import { z } from 'zod'
import { webhookPerformer } from '../../src/actions/declared/webhook/performer.ts'
import { type ActionKind, actionKinds } from '../../src/actions/registry.ts'
import { rotateKindSecret } from '../../src/operations/kinds/rotate-kind-secret.ts'
import type { ApiAnswer } from '../support/api-client.ts'
import { ringOf } from '../support/connect.ts'
import { type GateOptions, type TestGate, startGate } from '../support/gate.ts'
import { type Received, type StandIn, answerJson, standIn } from './stand-in.ts'

type Answering = (request: Received, response: ServerResponse, n: number) => void | Promise<void>

/** A gate with declared kinds whose executor is on this machine and answers as each test says. */
export interface ExecutorScene {
  gate: TestGate
  executor: StandIn
  /** The next requests are answered like that, and counted from 1. */
  answers(answer: Answering): void
  /** An account with a member who can delete customers, and the secret of its kinds. */
  customerDesk(): Promise<Desk>
  stop(): Promise<void>
}

export interface Desk {
  account: Awaited<ReturnType<TestGate['account']>>
  actor: { email: string }
  secret: string
  /** Proposes a deletion. @returns its number */
  propose(kind?: string): Promise<number>
  confirm(id: number): Promise<ApiAnswer>
}

export const kindNames = { plain: 'customer_deletion', asked: 'asked_deletion' } as const

export async function executorScene(options: GateOptions = {}): Promise<ExecutorScene> {
  let answer: Answering = (_request, response) => answerJson(response, 200, { deleted: true })
  const executor = await standIn((request, response) => answer(request, response, executor.received.length))
  const kindOf = (kind: string, statusUrl?: string): ActionKind => {
    const called = {
      type: 'webhook' as const,
      url: `${executor.url}/delete`,
      ...(statusUrl && { status_url: statusUrl }),
    }
    return {
      kind,
      payload: z.strictObject({ customer: z.string() }),
      defaultRule: { tier: 'guarded_write', consent: 'agent_attested' },
      isHttpProposable: true,
      reaches: 'nobody',
      executor: called,
      performer: webhookPerformer({ executor: called }),
    } as unknown as ActionKind
  }
  const kinds = [
    ...actionKinds,
    kindOf(kindNames.plain),
    kindOf(kindNames.asked, `${executor.url}/calls/{id}`),
  ]
  const env = { SECRETS_KEYS: ringOf('k1'), EXECUTOR_ALLOW: '127.0.0.1', ...options.env }
  const gate = await startGate({ ...options, kinds, env })
  return {
    gate,
    executor,
    answers(next) {
      executor.received.length = 0
      answer = next
    },
    async customerDesk() {
      const account = await gate.account()
      await account.addMember({ email: 'ada@example.com', tier: 'guarded_write' })
      const actor = { email: 'ada@example.com' }
      const context = { db: gate.database.db, account: account.account, session: null }
      const secrets = await Promise.all(
        Object.values(kindNames).map((kind) => rotateKindSecret(context, gate.deps.secretsKeys!, kind)),
      )
      return {
        account,
        actor,
        secret: secrets.find(({ kind }) => kind === kindNames.plain)!.secret,
        async propose(kind = kindNames.plain) {
          const payload = { customer: 'cus_1' }
          const { status, body } = await account.client.request('POST', '/api/v1/actions', {
            body: { kind, actor, payload },
          })
          if (status !== 201) throw new Error(`proposing failed: ${JSON.stringify(body)}`)
          return body.id as number
        },
        confirm: (id: number) => account.client.confirm(id, actor),
      }
    },
    async stop() {
      await gate.stop()
      await executor.close()
    },
  }
}
