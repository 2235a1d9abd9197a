import { type Network, sendGuarded } from '../../executors/guarded-request.ts'
import type { ChannelProvider } from '../channel-provider.ts'
import { type AskWorkflow, teamsChannel } from './channel.ts'

/** Posts in a room of Microsoft Teams, by the workflow that an account connected. The service has no room of its own. */
export const teams: ChannelProvider = {
  channel: 'teams',
  ofEnvironment: () => undefined,
  open: ({ secret: url, account = '' }, { sandboxUrl, network }) =>
    teamsChannel({
      url,
      ask: sandboxUrl === undefined ? asking(network, account, url) : atSandbox(sandboxUrl, url),
    }),
}

/** The number of the action stands where only the workflow reads. */
const headersOf = (actionNumber: string) => ({
  'content-type': 'application/json',
  'user-agent': 'qualification-gate',
  'x-gate-action': actionNumber,
})

const asking =
  (network: Network, account: string, url: string): AskWorkflow =>
  async ({ body, actionNumber }, signal) => {
    const headers = headersOf(actionNumber)
    const answer = await sendGuarded(network, { account, url, method: 'POST', headers, body }, signal)
    // The status says all: what else there is, however much, is not read.
    answer.destroy()
    return { status: answer.statusCode ?? 0, retryAfter: answer.headers['retry-after'] }
  }

/** The operator's own stand-in, wherever that is: every path is a room there. */
const atSandbox =
  (sandboxUrl: string, url: string): AskWorkflow =>
  async ({ body, actionNumber }, signal) => {
    const headers = headersOf(actionNumber)
    const room = new URL(`/teams${new URL(url).pathname}`, sandboxUrl)
    const answer = await fetch(room, { method: 'POST', headers, body, signal, redirect: 'manual' })
    await answer.body?.cancel()
    return { status: answer.status, retryAfter: answer.headers.get('retry-after') ?? undefined }
  }
