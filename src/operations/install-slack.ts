import { takeConnectState } from '../db/queries/connect-links.ts'
import { type Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import { installedCredential } from '../integrations/check-credential.ts'
import { newToken } from '../keys/link-token.ts'
import { claimWithCredential, requireQualified } from './claim-connection.ts'
import { type Connected, connectedAs } from './connected.ts'
import { hashOf, publicLink, readLink, requireOpen, slackCallbackPath, spendTry } from './connect-link.ts'

/**
 * Begins the installation of the Slack app.
 * @returns where to send the browser, and the text that it must bring back in a cookie: without it, somebody else's
 * installation could be slipped to whoever opens the callback
 */
export async function beginSlackInstall(deps: Deps, token: string): Promise<{ url: URL; binding: string }> {
  const link = await readLink(deps, token)
  const app = deps.providers.slackApp
  if (link.provider !== 'slack' || !app) throw new GateError('invalid', 'This link does not connect Slack.')
  await requireQualified(deps, link)
  const [state, binding] = [newToken(), newToken()]
  await spendTry(deps, link, hashOf(state, binding))
  return { url: app.authorizeUrl({ state, redirectUri: redirectUri(deps) }), binding }
}

/**
 * Ends the installation with what Slack sends back. The state works once, in the browser that began.
 * @throws GateError `conflict` where it is not known, was used, or Slack was not allowed; otherwise as `readLink` and
 * `claimWithCredential`
 */
export async function finishSlackInstall(
  deps: Deps,
  given: { state: string; binding: string | undefined; code: string | undefined },
): Promise<Connected> {
  const token =
    given.binding === undefined
      ? undefined
      : await takeConnectState(deps.db, hashOf(given.state, given.binding))
  if (!token) {
    throw new GateError(
      'conflict',
      'This installation was not begun in this browser, or it has ended. Open the link you were given, and begin again.',
    )
  }
  const link = await requireOpen(deps, token)
  if (given.code === undefined) {
    throw new GateError(
      'conflict',
      'Slack was not allowed, and nothing was connected. Open the link again to try once more.',
    )
  }
  await requireQualified(deps, link)
  const install = await deps.providers.slackApp!.install(given.code, redirectUri(deps))
  const credential = installedCredential(deps.providers, install)
  return connectedAs(link, await claimWithCredential(deps, link, credential))
}

/** Where Slack's own pages are. */
export const slackOrigin = (deps: Deps): string =>
  deps.providers.slackApp!.authorizeUrl({ state: '', redirectUri: '' }).origin

const redirectUri = (deps: Deps): string => publicLink(deps, slackCallbackPath)
