import { keepConnectDraft } from '../../db/queries/integrations/connect-links.ts'
import type { Deps } from '../../deps.ts'
import type { Credential } from '../../integrations/credential.ts'
import { accountWords, standInWords } from '../../integrations/account-words.ts'
import { randomBase62 } from '../../keys/api-key.ts'
import { limits } from '../../limits.ts'
import { fingerprintOf } from '../../providers/fingerprint.ts'
import { seal } from '../../secrets/seal.ts'
import { environmentProviders } from './environment-providers.ts'
import { type OpenLink, requireOpen } from './connect-link.ts'
import { refuseUnsigned } from './connect-person.ts'

/**
 * Stores a credential that its provider has accepted, encrypted, until the person has reviewed the change.
 * @param session  hash of the session token
 * @throws GateError `forbidden` where the session has ended, `gone` where the link has
 */
export async function keepDraft(
  deps: Deps,
  link: OpenLink,
  session: Buffer,
  credential: Credential,
): Promise<void> {
  const integrationId = `int_${randomBase62(16)}`
  const place = { account: link.account_id, integration: integrationId, field: credential.field }
  const sealed = await seal(deps.secretsKeys!, place, credential.secret)
  const outcome = await keepConnectDraft(deps.db, {
    token: link.token,
    session,
    idleMs: limits.sessionIdleMs,
    integrationId,
    settings: JSON.stringify(credential.settings),
    fingerprint: fingerprintOf(credential.identity),
    secret: { field: credential.field, ...sealed },
  })
  if (outcome === 'no_session') throw await refuseUnsigned(deps, link)
  if (outcome === 'missing') await requireOpen(deps, link.token)
}

/** What a connection changes, in words. */
export interface AccountChange {
  from: string
  to: string
  /** The credential is already in use. */
  isSame: boolean
}

/** The account that is currently in use, in words. */
export async function fromWords(deps: Deps, link: OpenLink): Promise<string> {
  const { provider, in_use: inUse, account_id: account } = link
  const isUsed = inUse !== null && (inUse.settings.sandbox ?? false) === deps.isSandbox
  return isUsed
    ? accountWords(inUse.provider, inUse.settings)
    : standInWords(provider, (await environmentProviders(deps, account))[provider])
}

/**
 * What connecting the stored credential would change; undefined without one, or where it could not be decrypted later.
 */
export async function changeOf(deps: Deps, link: OpenLink): Promise<AccountChange | undefined> {
  const { provider, draft, in_use: inUse } = link
  // Key rotation rewraps only connected credentials; a draft under an old key must be entered again.
  if (!draft || draft.kid !== deps.secretsKeys?.kid) return undefined
  return {
    from: await fromWords(deps, link),
    to: accountWords(provider, draft.settings),
    isSame: draft.fingerprint === inUse?.fingerprint,
  }
}
