import { GateError } from '../errors.ts'
import type { ProviderFactory } from '../providers/provider-factory.ts'
import type { SlackInstall } from '../providers/slack/install.ts'
import { readPastedKey, readReturnUrl, readSender } from './pasted-key.ts'
import type { ConnectForm, Credential } from './credential.ts'
import { providerName } from '../gate/integration-provider.ts'

/**
 * Looks at what a person pasted, before its provider is asked.
 * @throws GateError `invalid` with what to paste instead
 */
export function readCredential(
  providers: ProviderFactory,
  provider: 'resend' | 'stripe',
  form: ConnectForm,
): Credential {
  const secret = readPastedKey(provider, form.key, providers.isSandbox)
  return {
    field: 'api_key',
    secret,
    identity: secret,
    settings: {
      ...(providers.isSandbox ? { sandbox: true } : {}),
      last4: secret.slice(-4),
      ...(provider === 'resend' ? { from: readSender(form.sender) } : readReturnUrl(form.returnUrl)),
    },
  }
}

/**
 * Asks the provider whether a key is good, by one cheap read.
 * @throws GateError `invalid` where the provider refuses it, `unavailable` where it could not be asked
 */
export async function checkKey(
  providers: ProviderFactory,
  provider: 'resend' | 'stripe',
  { secret }: Credential,
): Promise<void> {
  const check =
    provider === 'stripe' ? await providers.checkStripeKey(secret) : await providers.checkResendKey(secret)
  if (check === 'ok') return
  const name = providerName[provider]
  if ('unavailable' in check) throw notAsked(name, check.unavailable)
  const hint =
    provider === 'stripe'
      ? 'Look whether it is active, and whether a restricted key may read the balance.'
      : 'Look whether it is active.'
  throw new GateError('invalid', `${name} refuses this key (${check.refused}). ${hint}`)
}

/** The same credential with whose account it is of, for people, where the key tells that. */
export async function withAccount(
  providers: ProviderFactory,
  provider: 'resend' | 'stripe',
  credential: Credential,
): Promise<Credential> {
  if (provider !== 'stripe') return credential
  const found = await providers.readStripeAccount(credential.secret)
  if (!found) return credential
  const { id: account, name } = found
  const settings = { ...credential.settings, account, ...(name === null ? {} : { account_name: name }) }
  return { ...credential, settings }
}

/**
 * The credential of an install that Slack has granted.
 * @throws GateError `conflict` where it will not do, `unavailable` where Slack could not be asked
 */
export function installedCredential(providers: ProviderFactory, install: SlackInstall): Credential {
  if ('unavailable' in install) throw notAsked('Slack', install.unavailable)
  if ('refused' in install) {
    const why = installRefusals[install.refused] ?? `Slack refuses the installation (${install.refused}).`
    throw new GateError('conflict', `${why} Nothing was connected; open the link again to try once more.`)
  }
  const { token, teamId, teamName, botUserId } = install
  return {
    field: 'bot_token',
    secret: token,
    identity: `${teamId} ${botUserId}`,
    settings: {
      ...(providers.isSandbox ? { sandbox: true } : {}),
      team_id: teamId,
      team: teamName,
      bot_user_id: botUserId,
    },
  }
}

const installRefusals: Record<string, string> = {
  invalid_code: 'This installation was used before, or took too long.',
  code_already_used: 'This installation was used before.',
  missing_scope: 'Slack granted less than was asked for.',
  no_workspace: 'The app was installed for a whole organisation: install it for one workspace.',
  token_rotation:
    'This Slack app rotates its tokens: an admin of the service must turn that off in its settings.',
}

const notAsked = (name: string, code: string) =>
  new GateError('unavailable', `${name} could not be asked (${code}). Nothing was connected; try again.`, 5)
