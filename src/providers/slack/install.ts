import { WebAPIPlatformError } from '@slack/web-api'
import { slackClient } from './client.ts'
import { slackFailure } from './outcome.ts'

/** The permissions of the app: to message members, and to look up the outcome of a message. */
export const slackScopes = ['chat:write', 'im:write', 'im:history', 'users:read', 'users:read.email'] as const

/** A Slack app that workspaces install. */
export interface SlackApp {
  /** The page where a person allows the installation. `state` is returned with the redirect. */
  authorizeUrl(request: { state: string; redirectUri: string }): URL
  /** Exchanges the returned code, which works once, and checks the token. */
  install(code: string, redirectUri: string): Promise<SlackInstall>
}

export type SlackInstall =
  | { token: string; teamId: string; teamName: string; botUserId: string }
  /**
   * `refused`: the installation cannot be used, with a code. `unavailable`: Slack could not be reached; the code may be
   * used.
   */
  | { refused: string }
  | { unavailable: string }

export function slackApp(options: {
  clientId: string
  clientSecret: string
  apiUrl: string
  /** The address for a browser, where it differs. */
  pagesUrl?: string
  timeoutMs: number
}): SlackApp {
  const { clientId, clientSecret, timeoutMs } = options
  const apiUrl = `${options.apiUrl.replace(/(?<!\/)\/+$/, '')}/`

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

/** Reads the answer. A token that expires within hours is refused, because the account would lose its channel. */
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
  // An organization-wide installation has no team.
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

/** Temporary errors, not caused by the app or the workspace. */
const passing = new Set([
  'fatal_error',
  'internal_error',
  'ratelimited',
  'request_timeout',
  'service_unavailable',
  'unreadable_answer',
])
