import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { checkKey, readCredential, withAccount } from '../../integrations/check-credential.ts'
import type { ConnectForm } from '../../integrations/credential.ts'
import { requireQualified } from './claim-connection.ts'
import { keepDraft } from './connect-draft.ts'
import { type OpenLink, spendTry } from './connect-link.ts'
import type { ConnectPerson } from './connect-person.ts'

/**
 * Takes the key of Resend or Stripe that a person pasted: looked at, checked by one read, sealed, kept
 * with whose account it is. It is put into use
 * by `connectDraft`, once they have seen what that changes.
 * @throws GateError `invalid` where the key will not do and the link can be tried again; `unavailable` where the provider
 * could not be asked; otherwise as `requireQualified` and `keepDraft`
 */
export async function submitKey(
  deps: Deps,
  link: OpenLink,
  { hash }: ConnectPerson,
  form: ConnectForm,
): Promise<void> {
  const { provider } = link
  if (provider === 'slack')
    throw new GateError('invalid', 'Slack is connected by installing its app: press the button.')
  await requireQualified(deps, link)
  const credential = readCredential(deps.providers, provider, form)
  await spendTry(deps, link, hash)
  await checkKey(deps.providers, provider, credential)
  await keepDraft(deps, link, hash, await withAccount(deps.providers, provider, credential))
}
