import { createHash, createHmac, randomBytes } from 'node:crypto'

/** Signs as the hook's program does, written apart from it and from the gate. */

const sha256 = (text: string) => createHash('sha256').update(text)
const hmac = (key: string, text: string): string =>
  createHmac('sha256', sha256(`qualification-gate hook secret 1\n${key}`).digest())
    .update(text)
    .digest('hex')

export interface SignedCall {
  target: string
  authorization: string
  mac: string
  body: string
}

interface Given {
  path?: 'tool-calls' | 'outcomes'
  query?: Record<string, string>
  /** Seconds by which its time is off. */
  off?: number
}

export function signedCall(
  key: string,
  body: object,
  { path = 'tool-calls', query = {}, off = 0 }: Given = {},
): SignedCall {
  const wait: Record<string, string> = path === 'tool-calls' ? { wait: '0' } : {}
  const target = `/api/v1/runner/${path}?${new URLSearchParams({ runner: 'claude', as: 'text', ...wait, ...query })}`
  const text = JSON.stringify(body)
  const time = Math.floor(Date.now() / 1000) + off
  const nonce = randomBytes(16).toString('hex')
  const digest = sha256(text).digest('hex')
  const name = sha256(`qualification-gate hook name 1\n${key}`).digest('hex')
  const mac = hmac(key, `gate-request-1\nPOST\n${target}\n${time}\n${nonce}\n${digest}\n`)
  const authorization = `Gate-Hook-1 key=${name}, time=${time}, nonce=${nonce}, digest=${digest}, mac=${mac}`
  return { target, authorization, mac, body: text }
}

export interface SignedAnswer {
  status: number
  text: string
  /** Whether the gate signed this status and text for this request. */
  isSigned: boolean
}

/** Sends a request, or one that was sent before. @param changed  what somebody changes on its way */
export async function sendSigned(
  url: string,
  key: string,
  call: SignedCall,
  changed: Partial<Omit<SignedCall, 'mac'>> & { headers?: Record<string, string> } = {},
): Promise<SignedAnswer> {
  const { target, authorization, body, headers } = { ...call, ...changed }
  const answer = await fetch(`${url}${target}`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body,
  })
  const bytes = await answer.text()
  const end = bytes.lastIndexOf('\n')
  const [text, mac] = end === -1 ? [bytes, ''] : [bytes.slice(0, end), bytes.slice(end + 1)]
  const isSigned = mac === hmac(key, `gate-answer-1\n${call.mac}\n${answer.status}\n${text}`)
  return { status: answer.status, text: isSigned ? text : bytes, isSigned }
}
