import { takeConnectState } from '../../db/queries/integrations/connect-links.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { installedCredential } from '../../integrations/check-credential.ts'
import { connectTokenHash, newToken } from '../../keys/link-token.ts'
import { requireQualified } from './claim-connection.ts'
import { keepDraft } from './connect-draft.ts'
import { type OpenLink, requireOpen, slackCallbackPath, spendTry } from './connect-link.ts'
import { publicLink } from '../../network/public-link.ts'
import type { ConnectPerson } from './connect-person.ts'

/**
 * Starts the installation of the Slack app.
 * @returns where to redirect the browser, and the binding it must send back in a cookie: without it, an attacker could
 * pass their own installation to a person who opens the callback
 */
export async function beginSlackInstall(
  deps: Deps,
  link: OpenLink,
  { hash }: ConnectPerson,
): Promise<{ url: URL; binding: string }> {
  const app = deps.providers.slackApp
  if (link.provider !== 'slack' || !app) throw new GateError('invalid', 'This link does not connect Slack.')
  await requireQualified(deps, link)
  const [state, binding] = [newToken(), newToken()]
  await spendTry(deps, link, hash, connectTokenHash(state, binding))
  return { url: app.authorizeUrl({ state, redirectUri: redirectUri(deps) }), binding }
}

/**
 * Handles the redirect from Slack and stores the workspace's token. The state works once, in the browser that started,
 * while the session that started is valid: the request itself carries no session, because it comes from Slack's site.
 * @throws GateError `conflict` where the state is unknown or used, or the person did not allow the installation;
 * otherwise as `requireOpen`, `requireQualified` and `keepDraft`
 */
export async function finishSlackInstall(
  deps: Deps,
  given: { state: string; binding: string | undefined; code: string | undefined },
): Promise<OpenLink> {
  const begun =
    given.binding === undefined
      ? undefined
      : await takeConnectState(deps.db, connectTokenHash(given.state, given.binding))
  if (!begun) {
    throw new GateError(
      'conflict',
      'This installation was not started in this browser, or it has ended. Open your connect link and start again.',
    )
  }
  const link = await requireOpen(deps, begun.token)
  if (given.code === undefined) {
    throw new GateError(
      'conflict',
      'The Slack installation was not allowed. Nothing was connected. Open your connect link to try again.',
    )
  }
  await requireQualified(deps, link)
  const install = await deps.providers.slackApp!.install(given.code, redirectUri(deps))
  await keepDraft(deps, link, begun.session, installedCredential(deps.providers, install))
  return link
}

/** The origin of Slack's own pages. */
export const slackOrigin = (deps: Deps): string =>
  deps.providers.slackApp!.authorizeUrl({ state: '', redirectUri: '' }).origin

const redirectUri = (deps: Deps): string => publicLink(deps, slackCallbackPath)
