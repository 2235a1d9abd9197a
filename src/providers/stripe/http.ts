import { Agent as HttpAgent } from 'node:http'
import { Agent as HttpsAgent } from 'node:https'
import { Stripe } from 'stripe'

/**
 * The SDK's own HTTP client with three of its habits off.
 * - It sends a request whose connection closed a second time, whatever `maxNetworkRetries` says. A refusal of the second
 *   would hide what the first did, and a DELETE has no key: only a GET may be sent twice.
 * - It keeps connections, and an idle one that is gone shows only when a request is lost on it.
 * - On an answer that is JSON but no object it throws where nobody can catch it.
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
      answer.toJSON = async () => objectAlone(await readJson())
      return answer
    },
  }
}

/** The SDK looks at the code to decide whether it sends again. */
function withoutCode(error: unknown): unknown {
  const { code } = error as { code?: unknown }
  const isClosed = Stripe.HttpClient.CONNECTION_CLOSED_ERROR_CODES.includes(String(code))
  return isClosed ? new Error('The connection was closed.', { cause: error }) : error
}

function objectAlone(json: unknown): object {
  if (typeof json !== 'object' || json === null) throw new TypeError('The answer is no object.')
  return json
}
