import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** Answers are read up to here, and then broken off. */
const answerBytesMax = 4 * 1024 * 1024
const defaultTimeoutMs = 30_000
/** How often, and how long each time, a request waits that came too soon: the limit of requests is not what is attacked. */
const tooSoonMax = 3
const tooSoonSecondsMax = 90

/** @typedef {{ status: number, headers: Record<string, string>, text: string, ms: number }} Sent status 0: no answer */
/**
 * Sends a request as `sendOnce`, and again when the limit of requests allows it.
 * @param {Parameters<typeof sendOnce>[0]} given
 */
export async function send(given) {
  for (let tries = 0; ; tries++) {
    const sent = await sendOnce(given)
    const seconds = Number(sent.headers['retry-after'])
    const isTooSoon = sent.status === 429 && sent.text.includes('"rate_limited"')
    if (!isTooSoon || tries === tooSoonMax || !(seconds > 0 && seconds <= tooSoonSecondsMax)) return sent
    await sleep(seconds * 1_000)
  }
}

/**
 * Sends one request as it is: no redirect is followed, no path normalised, no header added but Host and the length.
 * @param {{ url: string, method: string, path: string, headers: Record<string, string | string[]>,
 *   body?: string | Uint8Array | undefined, timeoutMs?: number | undefined }} given
 * @returns {Promise<Sent>}
 */
function sendOnce({ url, method, path, headers, body, timeoutMs = defaultTimeoutMs }) {
  const { protocol, hostname: bracketed, port, pathname } = new URL(url)
  const hostname = bracketed.replace(/^\[|\]$/g, '')
  const open = protocol === 'https:' ? requestHttps : requestHttp
  const started = performance.now()
  return new Promise((resolve) => {
    /** @type {import('node:http').ClientRequest | undefined} */
    let sent
    // For the whole request: a gate that sends a byte now and then would otherwise hold the run for ever.
    const deadline = setTimeout(
      () => sent?.destroy(new Error(`no whole answer within ${timeoutMs} ms`)),
      timeoutMs,
    )
    const end = (/** @type {number} */ status, /** @type {string} */ text, headers = {}) => {
      clearTimeout(deadline)
      resolve({ status, text, headers, ms: Math.round(performance.now() - started) })
    }
    const prefix = pathname.replace(/\/$/, '')
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    try {
      sent = open({
        hostname,
        port,
        // Otherwise Node takes it from a Host header, and a forged one would fail at TLS before it arrives.
        servername: isIP(hostname) ? '' : hostname,
        method,
        path: `${prefix}${path}`,
        headers: { ...length, ...headers },
        agent: false,
        insecureHTTPParser: false,
      })
    } catch (error) {
      return end(0, `not sent: ${/** @type {Error} */ (error).message}`)
    }
    // A server may refuse a large body before it has read it, and hang up: its answer counts.
    sent.on('error', (error) => setTimeout(() => end(0, error.message), 50))
    sent.on('response', (response) =>
      read(response).then((text) => end(response.statusCode ?? 0, text, flat(response.headers))),
    )
    sent.end(body)
  })
}

/** @param {import('node:http').IncomingMessage} response @returns {Promise<string>} */
function read(response) {
  return new Promise((resolve) => {
    /** @type {Buffer[]} */
    const chunks = []
    let bytes = 0
    const end = () => resolve(Buffer.concat(chunks).toString('utf8'))
    response.on('data', (/** @type {Buffer} */ chunk) => {
      bytes += chunk.length
      if (bytes <= answerBytesMax) chunks.push(chunk)
      else response.destroy()
    })
    response.on('end', end)
    response.on('error', end)
    response.on('close', end)
  })
}

/** @param {import('node:http').IncomingHttpHeaders} headers */
const flat = (headers) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
