import { GateError } from '../errors.ts'
import { botText } from '../providers/teams-bot/bot.ts'
import type { ConnectForm } from './credential.ts'

const secretCharsMax = 200

/**
 * The bot that a person entered. Pure.
 * @returns `secret`: all of it, as one text to seal
 * @throws GateError `invalid`; never repeats the secret
 */
export function readTeamsBot(form: Pick<ConnectForm, 'tenant' | 'app' | 'key'>): {
  tenant: string
  app: string
  secret: string
} {
  const tenant = idIn(form.tenant, 'tenant', 'Tenant ID')
  const app = idIn(form.app, 'app_id', 'App ID')
  const secret = form.key.trim()
  if (secret === '' || secret.length > secretCharsMax || !/^[\x21-\x7e]+$/.test(secret))
    throw refused('key', 'Paste the value of the client secret of the app.')
  if (isId(secret))
    throw refused('key', 'This is the ID of a client secret. Paste its value, which Entra shows only once.')
  return { tenant, app, secret: botText({ tenant, app, secret }) }
}

function idIn(given: string, param: string, label: string): string {
  const id = given.trim().toLowerCase()
  if (isId(id)) return id
  throw refused(param, `The ${label} must have the form 00000000-0000-0000-0000-000000000000.`)
}

const isId = (text: string): boolean => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text)

const refused = (param: string, sentence: string) => new GateError('invalid', sentence, { param })
