import type { ActionRow } from '../../db/queries/actions/actions.ts'
import {
  type ConnectLinkRow,
  type LinkOfAction,
  type LinkOfAdmin,
  findConnectLink,
  makeConnectLink,
  makeConsoleLink,
  tryConnectLink,
} from '../../db/queries/integrations/connect-links.ts'
import type { Deps } from '../../deps.ts'
import { GateError, LinkGone } from '../../errors.ts'
import { type IntegrationProvider, providerName } from '../../gate/integration-provider.ts'
import { connectTokenHash, isTokenForm, newToken } from '../../keys/link-token.ts'
import { limits } from '../../limits.ts'
import { deniedSentence } from '../decisions/member-refusal.ts'
import { requireConnectPrerequisites } from './connect-prerequisites.ts'
import { publicLink } from '../../network/public-link.ts'

export const connectPath = '/integrations/connect'
export const slackCallbackPath = '/integrations/slack/callback'

/** A link that can still be used, with the hash of its token. */
export type OpenLink = ConnectLinkRow & { token: Buffer }
export type OpenActionLink = LinkOfAction & { token: Buffer }
export type OpenAdminLink = LinkOfAdmin & { token: Buffer }

/** Creates the link of a proposed connection. Only the hash of its token is stored. */
export async function makeLink(
  deps: Deps,
  action: ActionRow,
  provider: IntegrationProvider,
): Promise<string> {
  const token = newToken()
  await makeConnectLink(deps.db, {
    token: connectTokenHash(token),
    account: action.account_id,
    id: action.id,
    provider,
    expiresAt: action.expires_at!,
  })
  return publicLink(deps, `${connectPath}/${token}`)
}

/**
 * Creates the link by which an administrator connects a provider without an agent, and returns its path. It leads to the
 * same pages, and only for this administrator.
 * @throws GateError `conflict` where this service cannot store a credential of the provider; `forbidden` and
 * `unauthenticated` as every administrator's write
 */
export async function beginInConsole(
  deps: Deps,
  { account, session }: { account: string; session: Buffer },
  provider: IntegrationProvider,
): Promise<string> {
  requireConnectPrerequisites(deps, provider)
  const token = newToken()
  const lastsMs = limits.connectLinkMs
  await makeConsoleLink(deps.db, { token: connectTokenHash(token), account, session, provider, lastsMs })
  return `${connectPath}/${token}`
}

/**
 * The link that a person opened. Reading it changes nothing.
 * @throws GateError `not_found` for an unknown link, `gone` where it can no longer be used, `conflict` where the
 * account is suspended
 */
export async function readLink(deps: Deps, token: string): Promise<OpenLink> {
  if (!isTokenForm(token)) throw unknownLink()
  const link = await requireOpen(deps, connectTokenHash(token))
  // The credential of the last attempt can still be connected.
  if (link.tries >= limits.connectTriesMax && !link.draft) throw triedOut(link)
  return link
}

/** The same by the hash of the token, also while the last attempt is under way. */
export async function requireOpen(deps: Deps, token: Buffer): Promise<OpenLink> {
  const link = await findConnectLink(deps.db, token)
  if (!link) throw unknownLink()
  const closed = link.admin_id === null ? closedWithAction(link) : closedInConsole(link)
  if (closed) throw closed
  if (link.is_suspended) {
    throw new GateError(
      'conflict',
      'This account is suspended. Nothing can be connected until an administrator resumes it.',
      { detail: 'account_suspended' },
    )
  }
  requireConnectPrerequisites(deps, link.provider)
  return { ...link, token }
}

/**
 * Counts one attempt of a link, before the provider is called.
 * @param session  hash of the session token
 * @param state  the state that starts a Slack installation
 * @throws GateError `gone` where no attempt is left
 */
export async function spendTry(
  deps: Deps,
  link: OpenLink,
  session: Buffer,
  state: Buffer | null = null,
): Promise<void> {
  const triesMax = limits.connectTriesMax
  const isGood = await tryConnectLink(deps.db, { token: link.token, triesMax, state, session })
  if (!isGood) throw triedOut(link)
}

const askForNewLink = 'Ask the agent for a new link.'
const startAgain = 'Start again on the integrations page of the console.'

/** What to do where a link can no longer be used. */
const againWith = ({ admin_id: admin }: ConnectLinkRow): string =>
  admin === null ? askForNewLink : startAgain

const triedOut = (link: ConnectLinkRow): LinkGone =>
  new LinkGone('used', `Too many attempts with this link. ${againWith(link)}`)
const expired = (link: ConnectLinkRow): LinkGone =>
  new LinkGone('expired', `This link has expired. Nothing was connected. ${againWith(link)}`)
const unknownLink = () =>
  new GateError(
    'not_found',
    `This link was not found. Check that you copied the whole link. ${askForNewLink}`,
  )

function closedWithAction(link: LinkOfAction): LinkGone | undefined {
  const name = providerName[link.provider]
  if (link.status === 'executed')
    return new LinkGone('used', `This link was already used: ${name} is connected. You can close this page.`)
  if (link.decision === 'confirm')
    return new LinkGone(
      'used',
      `This link was already used: ${name} is being connected. You can close this page.`,
    )
  if (link.status === 'denied') return new LinkGone('decided', deniedSentence(link.denial_reason))
  if (link.is_over || link.closed_reason === 'expired') return expired(link)
  if (link.status === 'cancelled')
    return new LinkGone('decided', `This request was cancelled. Nothing was connected. ${askForNewLink}`)
  return link.is_active
    ? undefined
    : new LinkGone(
        'invalid',
        'The member who requested this is no longer active. Nothing was connected. Ask an administrator to connect it in the console.',
      )
}

function closedInConsole(link: LinkOfAdmin): LinkGone | undefined {
  if (link.is_used)
    return new LinkGone('used', `This link was already used: ${providerName[link.provider]} is connected.`)
  if (link.is_over) return expired(link)
  return link.is_active
    ? undefined
    : new LinkGone('invalid', 'You are no longer an administrator of this account. Nothing was connected.')
}
