import { Agent as HttpAgent, type IncomingMessage } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Stripe } from 'stripe'
import { jsonProblem } from '../../gate/json/exact-json.ts'

/**
 * The SDK's HTTP client without three of its behaviours:
 * - It repeats a request whose connection closed, regardless of `maxNetworkRetries`. A refusal of the second request
 *   would hide the result of the first, and a DELETE has no key: only a GET may be sent twice.
 * - It keeps connections open, and a dead one is noticed only when a request is lost on it.
 * - For an answer that is JSON but not an object it throws where the error cannot be caught.
 * And an answer with a number that JSON readers round, or a name twice, counts as unreadable: what is kept of it would differ.
 * @source stripe 23.1.0, RequestSender.js; stripe/stripe-node#1040
 */
export function stripeHttp(protocol: 'http' | 'https'): Stripe.HttpClient {
  const agent =
    protocol === 'http' ? new HttpAgent({ keepAlive: false }) : new HttpsAgent({ keepAlive: false })
  const http: Stripe.HttpClient = Stripe.createNodeHttpClient(agent)
  return {
    getClientName: () => http.getClientName(),
    async makeRequest(...request) {
      const [, , , method] = request
      const answer = await http.makeRequest(...request).catch((error: unknown) => {
        throw method === 'GET' ? error : withoutCode(error)
      })
      const readJson = answer.toJSON.bind(answer)
      answer.toJSON = async () => {
        const text = textOf(answer.getRawResponse() as IncomingMessage)
        const json = requireObject(await readJson())
        requireExact(text())
        return json
      }
      return answer
    },
  }
}

/** The SDK uses the code to decide whether to repeat a request. */
function withoutCode(error: unknown): unknown {
  const { code } = error as { code?: unknown }
  const isClosed = Stripe.HttpClient.CONNECTION_CLOSED_ERROR_CODES.includes(String(code))
  return isClosed ? new Error('The connection was closed.', { cause: error }) : error
}

/** Collects the text of an answer while the SDK reads it. */
function textOf(answer: IncomingMessage): () => string {
  let text = ''
  answer.setEncoding('utf8')
  answer.on('data', (part: string) => void (text += part))
  return () => text
}

function requireExact(text: string): void {
  const problem = jsonProblem(text)
  if (problem) throw new TypeError(`The answer cannot be kept exactly: ${problem.says}.`)
}

function requireObject(json: unknown): object {
  if (typeof json !== 'object' || json === null) throw new TypeError('The answer is not an object.')
  return json
}
