import { GateError } from '../errors.ts'

const urlCharsMax = 2_000
const roomCharsMax = 80

/** Office connectors, which Microsoft retired: they take other cards. */
const retiredHosts = /(^|\.)(webhook\.office\.com|outlook\.office(365)?\.com)$/

/**
 * The address of a workflow that posts in a room of Microsoft Teams, and what people call the room. Its query has a signature, so
 * it is a secret. Pure.
 * @returns `identity`: the workflow without its signature
 * @throws GateError `invalid`; never repeats the address
 */
export function readTeamsRoom(form: { key: string; room: string }): {
  url: string
  identity: string
  server: string
  room: string
} {
  const given = form.key.trim()
  const url = given.length <= urlCharsMax && URL.canParse(given) ? new URL(given) : undefined
  if (url?.protocol !== 'https:' || url.username !== '' || url.password !== '' || url.hash !== '')
    throw refused('key', 'Paste the whole HTTP URL of the workflow. It begins with https://.')
  if (!/^[a-z0-9-]+(\.[a-z0-9-]+)*\.[a-z][a-z0-9-]*$/.test(url.hostname))
    throw refused('key', 'The workflow must be at a host name of the internet.')
  if (retiredHosts.test(url.hostname))
    throw refused(
      'key',
      'This is an Office connector, which Microsoft retired. Make a workflow “Send webhook alerts to a channel” in Teams, and paste its URL.',
    )
  const room = form.room.trim()
  if (room === '' || [...room].length > roomCharsMax || /[\p{Cc}\p{Cf}]/u.test(room))
    throw refused('room', `Enter what people call the room, at most ${roomCharsMax} characters.`)
  return { url: url.href, identity: `${url.host}${url.pathname}`, server: url.hostname, room }
}

const refused = (param: string, sentence: string) => new GateError('invalid', sentence, { param })
