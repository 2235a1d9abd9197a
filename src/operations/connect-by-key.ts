import { type Deps } from '../deps.ts'
import { GateError } from '../errors.ts'
import { checkKey, readCredential } from '../integrations/check-credential.ts'
import { type ConnectForm } from '../integrations/provider.ts'
import { claimWithCredential, requireQualified } from './claim-connection.ts'
import { type Connected, connectedAs } from './connected.ts'
import { readLink, spendTry } from './connect-link.ts'

/**
 * Connects Resend or Stripe with the key a person pasted: looked at, checked by one read, sealed, stored.
 * @throws GateError `invalid` where the key will not do and the link can be tried again; `unavailable` where the provider
 * could not be asked; otherwise as `readLink` and `claimWithCredential`
 */
export async function connectByKey(deps: Deps, token: string, form: ConnectForm): Promise<Connected> {
  const link = await readLink(deps, token)
  const { provider } = link
  if (provider === 'slack')
    throw new GateError('invalid', 'Slack is connected by installing its app: press the button.')
  await requireQualified(deps, link)
  const credential = readCredential(deps.providers, provider, form)
  await spendTry(deps, link, null)
  await checkKey(deps.providers, provider, credential)
  return connectedAs(link, await claimWithCredential(deps, link, credential))
}
