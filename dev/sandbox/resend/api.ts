import { randomUUID } from 'node:crypto'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import {
  actionNumber,
  hashOf,
  type KeptAnswer,
  type MessageStore,
  type SandboxMessage,
} from '../message-store.ts'
import { limits } from '../../../src/limits.ts'

interface Email {
  from?: string
  to?: string | string[]
  subject?: string
  text?: string
  html?: string
  tags?: { name: string; value: string }[]
}

/** The result of a request, before anything is stored. */
interface Outcome {
  status: number
  body: unknown
  accepted: Email[]
}

/**
 * The part of Resend's API that the gate calls: `/resend/emails` and `/resend/emails/batch` with strict and permissive
 * validation and idempotency keys, and `/resend/domains` to check a key. A key that contains `invalid` is refused; a
 * key that contains `sending` may only send.
 */
export function resendApi(app: FastifyInstance, store: MessageStore): void {
  app.post('/resend/emails', (request, reply) => {
    const { status, body } = handle(request, () => sendOne(request.body as Email))
    void reply.code(status).send(body)
  })

  app.post('/resend/emails/batch', (request, reply) => {
    const isPermissive = request.headers['x-batch-validation'] === 'permissive'
    const { status, body } = handle(request, () => sendBatch(request.body, isPermissive))
    void reply.code(status).send(body)
  })

  app.get('/resend/domains', (request, reply) => {
    const apiKey = keyOf(request)
    const problem =
      keyProblem(apiKey) ??
      (apiKey.includes('sending')
        ? failed(401, 'restricted_api_key', 'This API key is restricted to only send emails.')
        : undefined)
    const { status, body } = problem ?? { status: 200, body: { object: 'list', has_more: false, data: [] } }
    void reply.code(status).send(body)
  })

  function handle(request: FastifyRequest, send: () => Outcome): { status: number; body: unknown } {
    const problem = keyProblem(keyOf(request))
    if (problem) return problem
    const key = request.headers['idempotency-key'] as string | undefined
    if (key === undefined) return keep(send())
    if (key.length < 1 || key.length > limits.sandboxResendKeyCharsMax) {
      return failed(
        400,
        'invalid_idempotency_key',
        'The idempotency key must be between 1 and 256 characters.',
      )
    }
    const requestHash = hashOf(`${request.url}\n${JSON.stringify(request.body)}`)
    const kept = store.answerTo(key)
    if (kept?.requestHash === requestHash) return kept
    if (kept)
      return failed(409, 'invalid_idempotent_request', 'This idempotency key was used with another request.')
    return keep(send(), key, requestHash)
  }

  function keep({ status, body, accepted }: Outcome, key?: string, requestHash?: string) {
    // Like Resend, only accepted requests are stored: a refused request can be corrected under the same key.
    if (status !== 200) return { status, body }
    const kept: { key?: string; answer?: KeptAnswer } =
      key && requestHash ? { key, answer: { requestHash, status, body } } : {}
    store.append({ messages: toMessages(accepted, idsOf(body)), ...kept })
    return { status, body }
  }
}

const keyOf = (request: FastifyRequest): string =>
  (request.headers.authorization ?? '').replace(/^Bearer /, '')

function keyProblem(apiKey: string): ReturnType<typeof failed> | undefined {
  if (apiKey === '') return failed(401, 'missing_api_key', 'Missing API key in the authorization header.')
  return apiKey.includes('invalid') ? failed(401, 'invalid_api_key', 'API key is invalid.') : undefined
}

function sendOne(email: Email): Outcome {
  const problem = emailProblem(email)
  if (problem) return { ...failed(422, 'validation_error', problem), accepted: [] }
  return { status: 200, body: { id: randomUUID() }, accepted: [email] }
}

function sendBatch(body: unknown, isPermissive: boolean): Outcome {
  if (!Array.isArray(body) || body.length === 0 || body.length > limits.sandboxResendBatchMax) {
    return { ...failed(422, 'validation_error', 'A batch must contain 1 to 100 e-mails.'), accepted: [] }
  }
  const problems = body.map((email: Email) => emailProblem(email))
  const errors = problems.flatMap((message, index) => (message ? [{ index, message }] : []))
  if (errors[0] && !isPermissive)
    return { ...failed(422, 'validation_error', errors[0].message), accepted: [] }
  const accepted = body.filter((_, index) => !problems[index]) as Email[]
  const data = accepted.map(() => ({ id: randomUUID() }))
  return { status: 200, body: isPermissive ? { data, errors } : { data }, accepted }
}

function emailProblem(email: Email | null): string | undefined {
  const to = [email?.to ?? []].flat()
  if (!email?.from) return 'Missing `from` field.'
  if (to.length === 0) return 'Missing `to` field.'
  if (to.length > limits.sandboxResendRecipientsMax)
    return 'The `to` field must contain at most 50 addresses.'
  if (to.some((address) => !isAddress(address))) return 'Invalid `to` field.'
  if (!email.subject) return 'Missing `subject` field.'
  if (!email.text && !email.html) return 'Missing `html` or `text` field.'
  if (!areTags(email.tags ?? []))
    return 'Tags should only contain ASCII letters, numbers, underscores, or dashes.'
  return undefined
}

const areTags = (tags: unknown): boolean =>
  Array.isArray(tags) && tags.every((tag) => isTagPart(tag?.name) && isTagPart(tag?.value))

const isTagPart = (part: unknown): boolean =>
  typeof part === 'string' && part.length <= limits.sandboxResendTagCharsMax && /^[\w-]+$/.test(part)

/** Like Resend, except that the domain needs no dot. */
function isAddress(address: unknown): boolean {
  return (
    typeof address === 'string' &&
    /^[\x21-\x7e]{1,64}@[A-Za-z0-9.-]{1,190}$/.test(address) &&
    !/\.\./.test(address)
  )
}

function toMessages(emails: Email[], ids: string[]): SandboxMessage[] {
  const at = new Date().toISOString()
  return emails.map(({ to, subject = '', text, html, tags = [] }, index) => {
    const address = [to].flat().join(', ')
    const action = actionNumber(tags.find(({ name }) => name === 'action_number')?.value)
    return {
      id: ids[index]!,
      channel: 'email',
      to: address,
      subject,
      text: text ?? html ?? '',
      ...(html ? { html } : {}),
      ...(action === undefined ? {} : { action }),
      at,
    }
  })
}

function idsOf(body: unknown): string[] {
  const { id, data } = body as { id?: string; data?: { id: string }[] }
  return id ? [id] : (data ?? []).map((email) => email.id)
}

function failed(statusCode: number, name: string, message: string) {
  return { status: statusCode, body: { statusCode, name, message } }
}
