import type { ActionRow } from '../../db/queries/actions/actions.ts'
import {
  type ConnectLinkRow,
  findConnectLink,
  makeConnectLink,
  tryConnectLink,
} from '../../db/queries/integrations/connect-links.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { type IntegrationProvider, providerName } from '../../integrations/provider.ts'
import { connectTokenHash, isTokenForm, newToken } from '../../keys/link-token.ts'
import { limits } from '../../limits.ts'
import { deniedSentence } from '../decisions/member-refusal.ts'
import { requireConnectPrerequisites } from './connect-prerequisites.ts'

export const connectPath = '/integrations/connect'
export const slackCallbackPath = '/integrations/slack/callback'

/** A link that can still be used, and the hash it is found by. */
export interface OpenLink extends ConnectLinkRow {
  token: Buffer
}

/** An address for people, below the service's own. */
export const publicLink = (deps: Deps, path: string): string => below(deps.publicUrl, path)

/** The same below a base that is known otherwise. */
export const below = (base: string, path: string): string => base.replace(/\/+$/, '') + path

/** Makes the link of a proposed connection. Only the hash of its token is kept. */
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
 * The link that a person opened. Reading it changes nothing.
 * @throws GateError `not_found` where nobody made it, `gone` where it cannot be used any more, `conflict` where the
 * account is suspended; each says what to do
 */
export async function readLink(deps: Deps, token: string): Promise<OpenLink> {
  if (!isTokenForm(token)) throw unknownLink()
  const link = await requireOpen(deps, connectTokenHash(token))
  // What the last try brought can still be put into use.
  if (link.tries >= limits.connectTriesMax && !link.draft) throw new GateError('gone', triedOut)
  return link
}

/** The same for a link whose token's hash is known, and whose last try may be under way. */
export async function requireOpen(deps: Deps, token: Buffer): Promise<OpenLink> {
  const link = await findConnectLink(deps.db, token)
  if (!link) throw unknownLink()
  const why = whyClosed(link)
  if (why !== undefined) throw new GateError('gone', why)
  if (link.is_suspended) {
    throw new GateError(
      'conflict',
      'This account is suspended: an admin has to resume it before anything is connected.',
    )
  }
  requireConnectPrerequisites(deps, link.provider)
  return { ...link, token }
}

/**
 * Spends one try of a link, before its provider is asked.
 * @param session  hash of the token of the session that tries
 * @param state  what an install begins with
 * @throws GateError `gone` where there is none left
 */
export async function spendTry(
  deps: Deps,
  { token }: OpenLink,
  session: Buffer,
  state: Buffer | null = null,
): Promise<void> {
  const triesMax = limits.connectTriesMax
  const isGood = await tryConnectLink(deps.db, { token, triesMax, state, session })
  if (!isGood) throw new GateError('gone', triedOut)
}

const askAnew = 'Ask the agent for a new link.'
const triedOut = `This link was tried too often. ${askAnew}`
const unknownLink = () =>
  new GateError(
    'not_found',
    `This link is not known, or was over long ago. Look whether it is whole. ${askAnew}`,
  )

function whyClosed(link: ConnectLinkRow): string | undefined {
  const name = providerName[link.provider]
  if (link.status === 'executed') return `This link was used: ${name} is connected. You can close this page.`
  if (link.decision === 'confirm')
    return `This link was used: ${name} is being connected. You can close this page.`
  if (link.status === 'denied') return deniedSentence(link.denial_reason)
  if (link.is_over || link.closed_reason === 'expired')
    return `This link has expired. Nothing was connected. ${askAnew}`
  if (link.status === 'cancelled') return `This request was cancelled. Nothing was connected. ${askAnew}`
  return link.is_active
    ? undefined
    : 'The member who asked for this is no longer active. Nothing was connected.'
}
