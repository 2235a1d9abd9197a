import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'

/** Answers are kept up to here: the rest is counted as read and forgotten. */
const answerBytesMax = 4 * 1024 * 1024
const defaultTimeoutMs = 30_000

/**
 * Sends one request as it is: no redirect is followed, no path normalised, no header added but Host and the length.
 * @param {{ url: string, method: string, path: string, headers: Record<string, string | string[]>,
 *   body?: string | Uint8Array | undefined, timeoutMs?: number | undefined }} given
 * @returns {Promise<{ status: number, headers: Record<string, string>, text: string, ms: number }>} status 0 without an answer
 */
export function send({ url, method, path, headers, body, timeoutMs = defaultTimeoutMs }) {
  const { protocol, hostname, port, pathname } = new URL(url)
  const open = protocol === 'https:' ? requestHttps : requestHttp
  const started = performance.now()
  return new Promise((resolve) => {
    const end = (/** @type {number} */ status, /** @type {string} */ text, headers = {}) =>
      resolve({ status, text, headers, ms: Math.round(performance.now() - started) })
    const prefix = pathname.replace(/\/$/, '')
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
    /** @type {import('node:http').ClientRequest} */
    let sent
    try {
      sent = open({
        hostname: hostname.replace(/^\[|\]$/g, ''),
        port,
        method,
        path: `${prefix}${path}`,
        headers: { ...length, ...headers },
        agent: false,
        insecureHTTPParser: false,
      })
    } catch (error) {
      return end(0, `not sent: ${/** @type {Error} */ (error).message}`)
    }
    sent.setTimeout(timeoutMs, () => sent.destroy(new Error(`no answer within ${timeoutMs} ms`)))
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
    })
    response.on('end', end)
    response.on('error', end)
    response.on('close', end)
  })
}

/** @param {import('node:http').IncomingHttpHeaders} headers */
const flat = (headers) =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
