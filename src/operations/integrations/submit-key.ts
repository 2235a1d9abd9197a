import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { checkKey, readCredential, withAccount } from '../../integrations/check-credential.ts'
import type { ConnectForm } from '../../integrations/credential.ts'
import { requireQualified } from './claim-connection.ts'
import { keepDraft } from './connect-draft.ts'
import { type OpenLink, spendTry } from './connect-link.ts'
import type { ConnectPerson } from './connect-person.ts'

/**
 * Takes the key or the mail server that a person entered: validates it, checks it with one read at the provider, and
 * stores it encrypted with the account it belongs to. `connectDraft` connects it after the review.
 * @throws GateError `invalid` where the key is not accepted and the person can try again; `unavailable` where the
 * provider could not be reached; otherwise as `requireQualified` and `keepDraft`
 */
export async function submitKey(
  deps: Deps,
  link: OpenLink,
  { hash }: ConnectPerson,
  form: ConnectForm,
): Promise<void> {
  const { provider } = link
  if (provider === 'slack')
    throw new GateError('invalid', 'Slack is connected by installing its app. Use the button on the page.')
  await requireQualified(deps, link)
  const credential = readCredential(deps.providers, provider, form)
  await spendTry(deps, link, hash)
  await checkKey(deps.providers, provider, credential, link.account_id)
  await keepDraft(deps, link, hash, await withAccount(deps.providers, provider, credential))
}
