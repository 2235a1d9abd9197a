import { takeConnectState } from '../../db/queries/integrations/connect-links.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { installedCredential } from '../../integrations/check-credential.ts'
import { connectTokenHash, newToken } from '../../keys/link-token.ts'
import { requireQualified } from './claim-connection.ts'
import { keepDraft } from './connect-draft.ts'
import { type OpenLink, publicLink, requireOpen, slackCallbackPath, spendTry } from './connect-link.ts'
import type { ConnectPerson } from './connect-person.ts'

/**
 * Begins the installation of the Slack app.
 * @returns where to send the browser, and the text that it must bring back in a cookie: without it, somebody else's
 * installation could be slipped to whoever opens the callback
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
 * Takes what Slack sends back, and keeps the workspace's token. The state works once, in the browser that began, and while
 * the session that began goes on: this request brings no session, since it comes from Slack's site.
 * @throws GateError `conflict` where it is not known, was used, or Slack was not allowed; otherwise as `requireOpen`,
 * `requireQualified` and `keepDraft`
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
      'This installation was not begun in this browser, or it has ended. Open the link you were given, and begin again.',
    )
  }
  const link = await requireOpen(deps, begun.token)
  if (given.code === undefined) {
    throw new GateError(
      'conflict',
      'Slack was not allowed, and nothing was connected. Open the link again to try once more.',
    )
  }
  await requireQualified(deps, link)
  const install = await deps.providers.slackApp!.install(given.code, redirectUri(deps))
  await keepDraft(deps, link, begun.session, installedCredential(deps.providers, install))
  return link
}

/** Where Slack's own pages are. */
export const slackOrigin = (deps: Deps): string =>
  deps.providers.slackApp!.authorizeUrl({ state: '', redirectUri: '' }).origin

const redirectUri = (deps: Deps): string => publicLink(deps, slackCallbackPath)
