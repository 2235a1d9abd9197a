import { createHash, randomUUID } from 'node:crypto'

/** One request as a fault server saw it. */
export interface SeenRequest {
  /** `chat.postMessage`, `emails/batch` … */
  call: string
  headers: Record<string, string>
  /** The form of a Slack call. */
  form: Record<string, string>
  /** The JSON of a Resend call. */
  json: unknown
}

export interface ApiAnswer {
  status: number
  body: unknown
}

/**
 * The smallest Slack and Resend that can be asked whether anybody got a message twice. Written apart from the sandbox, so
 * that both are not wrong in the same way.
 * @returns `work` does what the request asks and gives the answer; `deliveries` counts effective ones by delivery id
 *   (Slack) or address (e-mail)
 */
export function faultApis() {
  const deliveries = new Map<string, number>()
  const slackMessages: { channel: string; ts: string; text: string; metadata: unknown }[] = []
  const emails: { to: string; subject: string; text: string; html: string }[] = []
  const replays = new Map<string, { hash: string; answer: ApiAnswer }>()
  let clock = 0

  return { deliveries, slackMessages, emails, work }

  function work(request: SeenRequest): ApiAnswer {
    if (request.call === 'conversations.open') return ok({ channel: { id: `D${request.form['users']}` } })
    if (request.call === 'auth.test') return ok({ team_id: 'TFAULT', user_id: 'UGATE' })
    if (request.call === 'conversations.history') return history(request.form)
    if (request.call === 'chat.update')
      return ok({ channel: request.form['channel'], ts: request.form['ts'] })
    if (request.call === 'chat.postMessage') return post(request.form)
    if (request.call === 'emails/batch') return batch(request)
    return { status: 404, body: { statusCode: 404, name: 'not_found', message: 'No such path.' } }
  }

  function post(form: Record<string, string>): ApiAnswer {
    clock = Math.max(clock + 1, Date.now() * 1000)
    const ts = `${Math.floor(clock / 1e6)}.${String(clock % 1e6).padStart(6, '0')}`
    const metadata = JSON.parse(form['metadata'] ?? '{}')
    slackMessages.push({ channel: form['channel'] ?? '', ts, text: form['text'] ?? '', metadata })
    count(metadata?.event_payload?.delivery_id)
    return ok({ channel: form['channel'], ts })
  }

  /** Newest first, metadata only when asked for, `oldest` obeyed: as Slack documents it. */
  function history({
    channel,
    oldest = '0',
    limit = '100',
    cursor = '9',
    include_all_metadata,
  }: Record<string, string>) {
    const inConversation = slackMessages
      .filter(
        (message) =>
          message.channel === channel && Number(message.ts) > Number(oldest) && message.ts < cursor,
      )
      .reverse()
    const messages = inConversation.slice(0, Number(limit)).map(({ ts, text, metadata }) => ({
      ts,
      text,
      ...(include_all_metadata === 'true' ? { metadata } : {}),
    }))
    const has_more = messages.length < inConversation.length
    return ok({ messages, has_more, response_metadata: { next_cursor: has_more ? messages.at(-1)!.ts : '' } })
  }

  function batch({ headers, json }: SeenRequest): ApiAnswer {
    const key = headers['idempotency-key']
    const hash = createHash('sha256').update(JSON.stringify(json)).digest('hex')
    const kept = key === undefined ? undefined : replays.get(key)
    if (kept?.hash === hash) return kept.answer
    if (kept) return resendError(409, 'invalid_idempotent_request')
    const all = json as { to: string; subject: string; text: string; html: string }[]
    const bad = all.flatMap(({ to }, index) =>
      to.includes('bad') ? [{ index, message: 'Invalid `to` field.' }] : [],
    )
    const isPermissive = headers['x-batch-validation'] === 'permissive'
    if (bad.length > 0 && !isPermissive) return resendError(422, 'validation_error')
    const good = all.filter(({ to }) => !to.includes('bad'))
    emails.push(...good)
    for (const { to } of good) count(to)
    const answer = { status: 200, body: { data: good.map(() => ({ id: randomUUID() })), errors: bad } }
    if (key !== undefined) replays.set(key, { hash, answer })
    return answer
  }

  function count(id: string): void {
    deliveries.set(id, (deliveries.get(id) ?? 0) + 1)
  }
}

export function resendError(statusCode: number, name: string): ApiAnswer {
  return { status: statusCode, body: { statusCode, name, message: 'Refused by the fault server.' } }
}

const ok = (fields: object): ApiAnswer => ({ status: 200, body: { ok: true, ...fields } })
