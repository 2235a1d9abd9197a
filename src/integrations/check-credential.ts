import { GateError } from '../errors.ts'
import type { ProviderFactory } from '../providers/provider-factory.ts'
import type { SlackInstall } from '../providers/slack/install.ts'
import { readMailServer } from './mail-server.ts'
import { readTeamsBot } from './teams-bot.ts'
import { readTeamsRoom } from './teams-room.ts'
import { readPastedKey, readReturnUrl, readSender } from './pasted-key.ts'
import type { ConnectForm, Credential } from './credential.ts'
import { type IntegrationProvider, providerName } from '../gate/integration-provider.ts'

/** What a person enters; Slack's comes from its installation. */
type Entered = Exclude<IntegrationProvider, 'slack'>

/**
 * Checks the form of a pasted credential, before its provider is called.
 * @throws GateError `invalid` with what to paste instead
 */
export function readCredential(providers: ProviderFactory, provider: Entered, form: ConnectForm): Credential {
  if (provider === 'smtp') return mailServerCredential(providers, form)
  if (provider === 'teams') return teamsCredential(providers, form)
  if (provider === 'teams_bot') return botCredential(providers, form)
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

/** @throws GateError `invalid` with what to enter instead */
function mailServerCredential(providers: ProviderFactory, form: ConnectForm): Credential {
  const { address, server, user } = readMailServer(form)
  return {
    field: 'server',
    secret: address,
    identity: `${server} ${user}`,
    settings: {
      ...(providers.isSandbox ? { sandbox: true } : {}),
      server,
      user,
      from: readSender(form.sender, 'that the mail server may send from'),
    },
  }
}

/** @throws GateError `invalid` with what to enter instead */
function teamsCredential(providers: ProviderFactory, form: ConnectForm): Credential {
  const { url, identity, server, room } = readTeamsRoom(form)
  return {
    field: 'url',
    secret: url,
    identity,
    settings: { ...(providers.isSandbox ? { sandbox: true } : {}), server, room },
  }
}

/** @throws GateError `invalid` with what to enter instead */
function botCredential(providers: ProviderFactory, form: ConnectForm): Credential {
  const { tenant, app, secret } = readTeamsBot(form)
  return {
    field: 'bot',
    secret,
    identity: `${tenant} ${app}`,
    settings: { ...(providers.isSandbox ? { sandbox: true } : {}), tenant, app_id: app },
  }
}

/**
 * Checks a key with one cheap read at the provider.
 * @throws GateError `invalid` if the provider refuses it, `unavailable` if the provider does not answer
 */
export async function checkKey(
  providers: ProviderFactory,
  provider: Entered,
  { secret, settings }: Credential,
  account: string,
): Promise<void> {
  const check =
    provider === 'stripe'
      ? await providers.checkStripeKey(secret)
      : await providers.checkSender(provider, { secret, from: settings.from, account })
  if (check === 'ok') return
  const name = providerName[provider]
  const says = 'says' in check && check.says !== undefined ? ` It says: ${check.says}` : ''
  if ('unavailable' in check) throw notAsked(name, check.unavailable)
  throw new GateError(
    'invalid',
    `${name} refuses this ${provider === 'smtp' ? 'login' : 'key'} (${check.refused}).${says} ${hints[provider]}`,
    {
      param: 'key',
    },
  )
}

const hints: Record<Entered, string> = {
  resend: 'Check that it is active.',
  smtp: 'Check server, user and password, and that the server has a valid certificate.',
  teams: 'Check that the workflow is turned on.',
  teams_bot:
    'Check tenant, app ID and the value of the client secret, that it has not expired, and that the app is of this tenant.',
  stripe: 'Check that it is active, and that a restricted key can read the balance.',
}

/** Adds the provider account to a credential, if the key can read it. */
export async function withAccount(
  providers: ProviderFactory,
  provider: Entered,
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
 * The credential of a completed Slack installation.
 * @throws GateError `conflict` if it cannot be used, `unavailable` if Slack does not answer
 */
export function installedCredential(providers: ProviderFactory, install: SlackInstall): Credential {
  if ('unavailable' in install) throw notAsked('Slack', install.unavailable)
  if ('refused' in install) {
    const why = installRefusals[install.refused] ?? `Slack refuses the installation (${install.refused}).`
    throw new GateError('conflict', `${why} Nothing was connected. Open the link again to retry.`)
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
  invalid_code: 'This installation was already used or has expired.',
  code_already_used: 'This installation was already used.',
  missing_scope: 'Slack granted fewer permissions than required.',
  no_workspace: 'The app was installed for a whole organisation. Install it for one workspace.',
  token_rotation:
    'This Slack app uses token rotation. An administrator of the service must turn that off in the app settings.',
}

const notAsked = (name: string, code: string) =>
  new GateError('unavailable', `${name} did not answer (${code}). Nothing was connected. Try again.`, {
    retryAfterSeconds: 5,
  })
