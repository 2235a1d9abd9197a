import { WebAPIPlatformError } from '@slack/web-api'
import { slackClient } from './client.ts'
import { slackFailure } from './outcome.ts'

/** What the gate asks a workspace for: to write to its members, and to look up what became of a message. */
export const slackScopes = ['chat:write', 'im:write', 'im:history', 'users:read', 'users:read.email'] as const

/** A Slack app that workspaces install. */
export interface SlackApp {
  /** Where a person allows it. `state` comes back with them. */
  authorizeUrl(request: { state: string; redirectUri: string }): URL
  /** Exchanges the code that came back, which works once, and asks Slack whether the token is good. */
  install(code: string, redirectUri: string): Promise<SlackInstall>
}

export type SlackInstall =
  | { token: string; teamId: string; teamName: string; botUserId: string }
  /** It will not do, with a code; `unavailable`: Slack could not be asked, and the code is perhaps used up. */
  | { refused: string }
  | { unavailable: string }

export function slackApp(options: {
  clientId: string
  clientSecret: string
  apiUrl: string
  /** The same as a browser reaches it, where that differs. */
  pagesUrl?: string
  timeoutMs: number
}): SlackApp {
  const { clientId, clientSecret, timeoutMs } = options
  const apiUrl = options.apiUrl.replace(/\/*$/, '/')

  return {
    authorizeUrl({ state, redirectUri }) {
      const url = new URL('../oauth/v2/authorize', options.pagesUrl ?? apiUrl)
      url.search = new URLSearchParams({
        client_id: clientId,
        scope: slackScopes.join(','),
        state,
        redirect_uri: redirectUri,
      }).toString()
      return url
    },

    async install(code, redirectUri) {
      try {
        const granted = readGrant(
          await slackClient({ apiUrl, timeoutMs }).oauth.v2.access({
            client_id: clientId,
            client_secret: clientSecret,
            code,
            redirect_uri: redirectUri,
          }),
        )
        if ('refused' in granted) return granted
        const { team_id: teamId } = await slackClient({ token: granted.token, apiUrl, timeoutMs }).auth.test()
        return teamId === granted.teamId ? granted : { refused: 'another_workspace' }
      } catch (error) {
        return installFailure(error)
      }
    },
  }
}

/** What of the answer is kept. A token that expires within hours would leave the account without its channel. */
function readGrant(answer: {
  access_token?: string
  token_type?: string
  scope?: string
  bot_user_id?: string
  team?: { id?: string; name?: string }
  refresh_token?: string
}): Exclude<SlackInstall, { unavailable: string }> {
  const { access_token: token, team, bot_user_id: botUserId = '' } = answer
  if (answer.refresh_token) return { refused: 'token_rotation' }
  if (!token?.startsWith('xoxb-') || answer.token_type !== 'bot') return { refused: 'no_bot_token' }
  // An organisation installs for all of its workspaces at once: then there is no team.
  if (!team?.id) return { refused: 'no_workspace' }
  const granted = new Set(answer.scope?.split(','))
  if (slackScopes.some((scope) => !granted.has(scope))) return { refused: 'missing_scope' }
  return { token, teamId: team.id, teamName: team.name ?? team.id, botUserId }
}

function installFailure(error: unknown): SlackInstall {
  const { code } = slackFailure(error)
  const isSlacksWord = error instanceof WebAPIPlatformError && !passing.has(code)
  return isSlacksWord ? { refused: code } : { unavailable: code }
}

/** Codes that say nothing against the app or the workspace. */
const passing = new Set([
  'fatal_error',
  'internal_error',
  'ratelimited',
  'request_timeout',
  'service_unavailable',
  'unreadable_answer',
])
