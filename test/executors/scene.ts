import type { ServerResponse } from 'node:http'
import { readAction } from '../../src/db/queries/actions/actions.ts'
import { workflowInput } from '../../src/temporal/names.ts'
import { executorAllow } from '../../src/config.ts'
import { addKind } from '../../src/operations/kinds/declared-kinds.ts'
import { customerDeletion } from '../support/declared-kind.ts'
import { rotateKindSecret } from '../../src/operations/kinds/rotate-kind-secret.ts'
import type { ApiAnswer } from '../support/api-client.ts'
import { ringOf } from '../support/connect.ts'
import { type GateOptions, type TestGate, startGate } from '../support/gate.ts'
import { until } from '../support/until.ts'
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
  /** Proposes and confirms, without waiting for the end. */
  start(kind?: string): Promise<number>
  /** The action at its end. */
  ended(id: number): Promise<ApiAnswer['body']>
  /** Lets so many hours pass for the call of an action, and wakes its workflow. */
  pass(id: number, hours: number): Promise<void>
  /** What is recorded of the call of an action. */
  call(id: number): Promise<Record<string, unknown>>
  /** Waits until the last attempt that has begun is recorded like that. */
  recorded(id: number, wanted: Record<string, unknown>): Promise<Record<string, unknown>>
}

export const kindNames = { plain: 'customer_deletion', asked: 'asked_deletion' } as const

export async function executorScene(options: GateOptions = {}): Promise<ExecutorScene> {
  let answer: Answering = (_request, response) => answerJson(response, 200, { deleted: true })
  const executor = await standIn((request, response) => answer(request, response, executor.received.length))
  const documentOf = (kind: string, statusUrl?: string) =>
    customerDeletion({
      kind,
      payload: {
        type: 'object',
        properties: { customer: { type: 'string', maxLength: 40 } },
        required: ['customer'],
      },
      subject: undefined,
      card: [{ label: 'Customer', value: '/customer', format: 'text' }],
      executor: {
        type: 'webhook',
        url: `${executor.url}/delete`,
        ...(statusUrl && { status_url: statusUrl }),
      },
    })
  const env = { SECRETS_KEYS: ringOf('k1'), EXECUTOR_ALLOW: '127.0.0.1', ...options.env }
  const gate = await startGate({ ...options, env })
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
      const allowed = executorAllow(gate.config)
      await addKind(context, documentOf(kindNames.plain), allowed)
      await addKind(context, documentOf(kindNames.asked, `${executor.url}/calls/{id}`), allowed)
      const secrets = await Promise.all(
        Object.values(kindNames).map((kind) => rotateKindSecret(context, gate.deps.secretsKeys!, kind)),
      )
      const { client } = account
      const ofCall = (id: number) => `account_id = '${account.account}' and action_id = ${id}`
      const desk: Desk = {
        account,
        actor,
        secret: secrets.find(({ kind }) => kind === kindNames.plain)!.secret,
        async propose(kind = kindNames.plain) {
          const payload = { customer: 'cus_1' }
          const { status, body } = await client.request('POST', '/api/v1/actions', {
            body: { kind, actor, payload },
          })
          if (status !== 201) throw new Error(`proposing failed: ${JSON.stringify(body)}`)
          return body.id as number
        },
        confirm: (id) => client.confirm(id, actor),
        async start(kind) {
          const id = await desk.propose(kind)
          await desk.confirm(id)
          return id
        },
        ended: (id) =>
          until(`the end of action ${id}`, async () => {
            const { body } = await client.get(id)
            return body.status === 'proposed' ? undefined : body
          }),
        async pass(id, hours) {
          const ago = `- interval '${hours} hours'`
          await gate.database.asSuperuser(
            `update gate.executor_call set first_at = first_at ${ago}, attempted_at = attempted_at ${ago}, due_at = due_at ${ago}
             where ${ofCall(id)}`,
          )
          const row = await readAction(gate.database.db, account.account, id)
          await gate.deps.workflows.wake(workflowInput(row!), 'wake', 10_000)
        },
        async call(id) {
          const [row] = await gate.database.asSuperuser(
            `select state, attempts, is_maybe_done, code, location from gate.executor_call where ${ofCall(id)}`,
          )
          return row ?? {}
        },
        recorded: (id, wanted) =>
          until(`the record ${JSON.stringify(wanted)}`, async () => {
            // An attempt that begins leaves the time of the next one as it was.
            const [row] = await gate.database.asSuperuser(
              `select state, attempts, is_maybe_done, code from gate.executor_call where ${ofCall(id)} and due_at > attempted_at`,
            )
            return row && Object.entries(wanted).every(([name, value]) => row[name] === value) && row
          }),
      }
      return desk
    },
    async stop() {
      await gate.stop()
      await executor.close()
    },
  }
}
