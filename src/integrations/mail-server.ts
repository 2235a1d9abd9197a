import { GateError } from '../errors.ts'
import type { ConnectForm } from './credential.ts'

const passwordCharsMax = 1_000
const userCharsMax = 254

/** Ports of mail submission, also the alternatives that providers offer. The first is with TLS from the first byte. */
const implicitPorts = ['465', '2465']
const startTlsPorts = ['587', '2587', '2525', '25']

/**
 * The mail server that a person entered. A server with a name and a login is needed: others could not be told apart, and its
 * certificate not be checked. Pure.
 * @returns its address with the password, and what may be shown
 * @throws GateError `invalid`
 */
export function readMailServer(form: Pick<ConnectForm, 'server' | 'user' | 'key'>): {
  address: string
  server: string
  user: string
} {
  const given = /^([a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?)(?::(\d{1,5}))?$/i.exec(form.server.trim())
  const host = (given?.[1] ?? '').toLowerCase()
  const port = given?.[2] ?? implicitPorts[0]!
  if (!/\.[a-z][a-z0-9-]*$/.test(host))
    throw refused(
      'server',
      'The server must be a host name, such as smtp.example.com or smtp.example.com:587.',
    )
  if (![...implicitPorts, ...startTlsPorts].includes(port))
    throw refused(
      'server',
      `The port must be one for sending mail: ${[...implicitPorts, ...startTlsPorts].join(', ')}.`,
    )
  const user = form.user.trim()
  if (user === '' || user.length > userCharsMax || /\p{Cc}/u.test(user))
    throw refused('user', `Enter the user of the mail server, at most ${userCharsMax} characters.`)
  const password = form.key
  if (password === '' || password.length > passwordCharsMax || /\p{Cc}/u.test(password))
    throw refused('key', `Enter the password of the user, at most ${passwordCharsMax} characters.`)
  const protocol = implicitPorts.includes(port) ? 'smtps' : 'smtp'
  const login = `${encodeURIComponent(user.toWellFormed())}:${encodeURIComponent(password.toWellFormed())}`
  return { address: `${protocol}://${login}@${host}:${port}`, server: `${host}:${port}`, user }
}

const refused = (param: string, sentence: string) => new GateError('invalid', sentence, { param })
