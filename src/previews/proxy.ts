import { type ClientRequest, type IncomingMessage, type ServerResponse, request as ask } from 'node:http'
import { Transform } from 'node:stream'
import { limits } from '../limits.ts'
import type { PreviewTarget } from './driver.ts'
import { headersForApp, headersForViewer } from './proxy-headers.ts'

const previewRequestsMax = 64
const previewRequestBytesMax = 10_485_760
const previewRequestMs = 60_000

const previewAnswerBytesMax = 52_428_800
const previewAnswerSilenceMs = 30_000

type UnixTarget = Extract<PreviewTarget, { kind: 'unix' }>

/** Limits of a request and its answer. */
export interface ProxyBounds {
  requestsMax: number
  requestBytesMax: number
  answerBytesMax: number
  /** The time for the whole request; `silenceMs` is the longest time without a byte from the app. */
  requestMs: number
  silenceMs: number
}

const defaultBounds: ProxyBounds = {
  requestsMax: previewRequestsMax,
  requestBytesMax: previewRequestBytesMax,
  answerBytesMax: previewAnswerBytesMax,
  requestMs: previewRequestMs,
  silenceMs: previewAnswerSilenceMs,
}

/**
 * Forwards a viewer's request to the server of a preview. That server is not trusted: it may answer wrongly, slowly,
 * endlessly or not at all. Its answer is forwarded in bounded memory and cut off when it exceeds a limit. Resolves when
 * the exchange has ended, and never rejects.
 * @param request  its body must not have been read
 * @param options.headers  the gateway's headers, which override those of the app
 * @param options.signal  aborted when the preview ends, which ends the answer
 * @param options.bounds  other limits than the defaults
 */
export async function proxyPreview(
  target: UnixTarget,
  request: IncomingMessage,
  response: ServerResponse,
  { headers, signal, bounds = defaultBounds }: ProxyOptions,
): Promise<void> {
  const refuse = (status: number, sentence: string) =>
    answerPlainly(request, response, { status, sentence, headers })
  if (!request.url?.startsWith('/')) return refuse(400, 'The request must have a path.')
  if (!methods.has(request.method ?? '')) return refuse(405, 'A preview does not support this method.')
  const underWay = requestsUnderWay.get(target.socketPath) ?? 0
  if (underWay >= bounds.requestsMax) return refuse(503, busy)
  if (Number(request.headers['content-length'] ?? 0) > bounds.requestBytesMax) {
    return refuse(413, tooLargeFor(bounds))
  }
  requestsUnderWay.set(target.socketPath, underWay + 1)
  try {
    await exchange(target, request, response, { headers, signal, bounds, refuse })
  } finally {
    const left = (requestsUnderWay.get(target.socketPath) ?? 1) - 1
    if (left > 0) requestsUnderWay.set(target.socketPath, left)
    else requestsUnderWay.delete(target.socketPath)
  }
}

const methods = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** How many requests each preview answers now, by its socket. */
const requestsUnderWay = new Map<string, number>()

const busy = 'This preview has too many requests at the moment. Try again shortly.'
const tooLargeFor = ({ requestBytesMax }: ProxyBounds) =>
  `The request is too large. A preview accepts at most ${requestBytesMax} bytes.`

export interface ProxyOptions {
  headers: Record<string, string>
  signal: AbortSignal
  bounds?: ProxyBounds
}

interface Exchange extends Required<ProxyOptions> {
  refuse(status: number, sentence: string): void
}

function exchange(
  target: UnixTarget,
  request: IncomingMessage,
  response: ServerResponse,
  { headers, signal, bounds, refuse }: Exchange,
): Promise<void> {
  return new Promise((resolve) => {
    // The viewer is already gone, and no event will report that.
    if (response.destroyed) return resolve()
    const asked = ask({
      socketPath: target.socketPath,
      method: request.method,
      path: request.url,
      headers: headersForApp(request.headers, target.host),
      agent: false,
      setHost: false,
      maxHeaderSize: limits.previewAnswerHeadersBytesMax,
    })
    /** Ends the exchange once: with an error if nothing was sent yet, otherwise by cutting the answer. */
    const end = (status: number, sentence: string) => {
      asked.destroy()
      if (response.headersSent) response.destroy()
      else refuse(status, sentence)
    }
    const tooLate = setTimeout(() => end(504, 'The preview did not answer in time.'), bounds.requestMs)
    const ended = () => end(502, 'The preview has ended.')
    signal.addEventListener('abort', ended, { once: true })
    response.once('close', () => {
      clearTimeout(tooLate)
      signal.removeEventListener('abort', ended)
      asked.destroy()
      resolve()
    })
    response.on('error', () => response.destroy())
    asked.setTimeout(bounds.silenceMs, () => end(504, 'The preview stopped answering.'))
    asked.on('error', () => end(502, 'The preview sent an answer that cannot be shown.'))
    // If the app switches to another protocol, no other event is emitted.
    asked.on('upgrade', (_, socket) => {
      socket.destroy()
      end(502, 'The preview sent an answer that cannot be shown.')
    })
    asked.on('response', (answer) => passAnswer(answer, { request, response, target, headers, bounds, end }))
    if (signal.aborted) ended()
    else sendBody(request, asked, bounds, end)
  })
}

function sendBody(
  request: IncomingMessage,
  asked: ClientRequest,
  bounds: ProxyBounds,
  end: (status: number, sentence: string) => void,
): void {
  const bounded = atMost(bounds.requestBytesMax)
  bounded.on('error', () => end(413, tooLargeFor(bounds)))
  request.on('error', () => asked.destroy())
  request.pipe(bounded).pipe(asked)
}

interface Passing {
  request: IncomingMessage
  response: ServerResponse
  target: UnixTarget
  headers: Record<string, string>
  bounds: ProxyBounds
  end(status: number, sentence: string): void
}

function passAnswer(
  answer: IncomingMessage,
  { request, response, target, headers, bounds, end }: Passing,
): void {
  if (response.headersSent || response.destroyed) return void answer.destroy()
  const asked = { host: target.host, path: request.url ?? '/' }
  const passed = headersForViewer(answer.rawHeaders, asked, headers)
  if (!passed) return end(502, 'The preview redirects to another site, which is not allowed.')
  if (Number(answer.headers['content-length'] ?? 0) > bounds.answerBytesMax) {
    return end(502, `The preview sent an answer larger than ${bounds.answerBytesMax} bytes.`)
  }
  try {
    for (const [name, value] of passed) response.setHeader(name, value)
    response.writeHead(answer.statusCode ?? 502)
  } catch {
    for (const name of response.getHeaderNames()) response.removeHeader(name)
    return end(502, 'The preview sent an answer that cannot be shown.')
  }
  const bounded = atMost(bounds.answerBytesMax)
  // A truncated answer must look truncated to the viewer too.
  const cut = () => response.destroy()
  answer.on('error', cut)
  bounded.on('error', cut)
  answer.pipe(bounded).pipe(response)
}

/** @returns a stream that fails after more than `bytesMax` bytes */
function atMost(bytesMax: number): Transform {
  let bytes = 0
  return new Transform({
    transform(part: Buffer, _encoding, done) {
      bytes += part.length
      if (bytes > bytesMax) done(new Error('too long'))
      else done(null, part)
    },
  })
}

function answerPlainly(
  request: IncomingMessage,
  response: ServerResponse,
  { status, sentence, headers }: { status: number; sentence: string; headers: Record<string, string> },
): void {
  request.unpipe()
  request.resume()
  response.writeHead(status, {
    ...headers,
    'content-type': 'text/plain; charset=utf-8',
    // The rest of the request is not read.
    ...(request.complete ? {} : { connection: 'close' }),
    ...(status === 503 ? { 'retry-after': '1' } : {}),
  })
  response.end(request.method === 'HEAD' ? undefined : `${sentence}\n`)
}
