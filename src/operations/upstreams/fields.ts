import { z } from 'zod'
import { limits } from '../../limits.ts'
import type { Header } from './servers.ts'

// What administrators enter about MCP servers. Each message continues the name of the option or field.

export const upstreamName = z
  .string()
  .regex(
    /^[a-z][a-z0-9-]{0,19}$/,
    'must be 1 to 20 lower-case letters, digits and -, beginning with a letter, such as github',
  )

export const upstreamUrl = z
  .url({ protocol: /^https?$/, error: 'must be an absolute URL' })
  .max(limits.upstreamUrlCharsMax, `must have at most ${limits.upstreamUrlCharsMax} characters`)

export const commandName = z
  .string()
  .regex(
    /^[A-Za-z0-9_-]{1,64}$/,
    'must be 1 to 64 letters, digits, _ and -: a name in the file of UPSTREAM_COMMANDS',
  )

export const toolName = z
  .string()
  .min(1, 'must be the name of a tool')
  .max(limits.upstreamToolNameCharsMax, `must have at most ${limits.upstreamToolNameCharsMax} characters`)

export const reviewDigest = z.string().regex(/^[0-9a-f]{64}$/, 'must be the digest that the review showed')

/** The transport writes these itself. */
const ownHeaders = ['host', 'content-length', 'content-type', 'accept', 'connection', 'transfer-encoding']
const isOwn = (name: string) =>
  ownHeaders.includes(name) || name.startsWith('mcp-') || name === 'last-event-id'

/** A header as it is written in a request: `Authorization: Bearer …`. */
export const headerLine = z.string().transform((text, context): Header => {
  const colon = text.indexOf(':')
  const name = text.slice(0, Math.max(colon, 0))
  const value = text.slice(colon + 1).replaceAll(/^[ \t]+|(?<![ \t])[ \t]+$/g, '')
  const problem = problemOf(name, value)
  if (problem === undefined) return [name.toLowerCase(), value]
  // The message must not repeat the value: it is a secret.
  context.issues.push({ code: 'custom', message: problem, input: undefined })
  return z.NEVER
})

/** Headers, one a line. Empty lines are left out. */
export const headerLines = z.string().transform((text, context): Header[] => {
  const lines = text.split(/\r?\n/)
  const refuse = (message: string) => {
    context.issues.push({ code: 'custom', message, input: undefined })
    return z.NEVER
  }
  const found: Header[] = []
  for (const [at, line] of lines.entries()) {
    if (line.trim() === '') continue
    const read = headerLine.safeParse(line)
    if (!read.success) return refuse(`line ${at + 1} ${read.error.issues[0]!.message}`)
    found.push(read.data)
  }
  return found.length > limits.upstreamHeadersMax
    ? refuse(`must be at most ${limits.upstreamHeadersMax} lines`)
    : found
})

function problemOf(name: string, value: string): string | undefined {
  if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name) || name.length > limits.upstreamHeaderNameCharsMax)
    return 'must be a header with its value, such as "Authorization: Bearer …"'
  if (isOwn(name.toLowerCase())) return `must not be ${name}: the gate sets it`
  if (!/^[\u0020-\u007e\t]+$/.test(value) || value.length > limits.upstreamHeaderCharsMax)
    return `must have a value of at most ${limits.upstreamHeaderCharsMax} visible ASCII characters`
  return undefined
}
