import { parseArgs } from 'node:util'
import { account } from './account-option.ts'
import { nearest } from './nearest.ts'
import { UsageError, type Values, type Verb } from './verb.ts'

export interface CommandLine {
  isHelp: boolean
  isJson: boolean
  values: Values<Verb['options']>
}

/** Reads the options of a verb. @throws UsageError on an unknown, missing, repeated or malformed option */
export function readCommandLine(verb: Verb, args: string[]): CommandLine {
  const given = splitArgs(verb, args)
  if (given['help']) return { isHelp: true, isJson: false, values: {} }
  for (const group of verb.exactlyOne ?? []) {
    const count = group.filter((name) => given[name]).length
    const isDefaulted = count === 0 && group.includes('account')
    if (count !== 1 && !isDefaulted)
      throw new UsageError(`give exactly one of ${group.map((name) => `--${name}`).join(', ')}`)
  }
  const values = Object.fromEntries(
    Object.entries(verb.options).map(([name, option]) => [name, option.read(name, given[name])]),
  )
  return { isHelp: false, isJson: given['json'] !== undefined, values }
}

/** Whether the account of a verb is still to be found: it takes one, and was given neither it nor its alternative. */
export function needsAccount(verb: Verb, values: CommandLine['values']): boolean {
  // An option of that name that only compares is never filled in.
  if (verb.options['account'] !== account || values['account'] !== undefined) return false
  const alternatives = (verb.exactlyOne ?? []).find((group) => group.includes('account')) ?? []
  return alternatives.every((name) => values[name] === undefined)
}

function splitArgs(verb: Verb, args: string[]): Record<string, string[] | undefined> {
  const options = Object.fromEntries([
    ...Object.entries(verb.options).map(([name, { placeholder }]) => [
      name,
      { type: placeholder === undefined ? ('boolean' as const) : ('string' as const), multiple: true },
    ]),
    ['json', { type: 'boolean' as const, multiple: true }],
    ['help', { type: 'boolean' as const, short: 'h', multiple: true }],
  ]) as Record<string, { type: 'boolean' | 'string'; short?: string; multiple: true }>
  const { word } = verb
  try {
    const { values, positionals } = parseArgs({
      args,
      options,
      strict: true,
      allowPositionals: word !== undefined,
    })
    const given = Object.entries(values).map(([name, texts]) => [name, texts?.map(String)] as const)
    const all: Record<string, string[] | undefined> = Object.fromEntries(given)
    return word === undefined || positionals.length === 0
      ? all
      : { ...all, [word]: [...positionals, ...(all[word] ?? [])] }
  } catch (error) {
    const message = firstSentence((error as Error).message)
    const [, unknown] = /^Unknown option '--?([^']+)'/.exec(message) ?? []
    const meant = unknown === undefined ? undefined : nearest(unknown, Object.keys(options))
    throw new UsageError(message, meant && `Did you mean --${meant}?`)
  }
}

// Node's messages end with hints about `--`, which no verb accepts.
function firstSentence(message: string): string {
  return message.split(/\. To specify|\n/)[0]!.replace(/\.$/, '')
}

/** The options before the noun, which say that a verb works over a gate on another machine. */
export interface RemoteOptions {
  url?: string
  key?: string
  'key-file'?: string
}

const names = ['url', 'key', 'key-file'] as const

/** Splits the options before the noun from the command. Pure. */
export function remoteOptions(argv: string[]): { remote: RemoteOptions | undefined; rest: string[] } {
  const remote: RemoteOptions = {}
  let rest = argv
  for (;;) {
    const [first = '', ...others] = rest
    const name = names.find((one) => first === `--${one}` || first.startsWith(`--${one}=`))
    if (name === undefined) break
    const isJoined = first.includes('=')
    remote[name] = isJoined ? first.slice(first.indexOf('=') + 1) : (others[0] ?? '')
    rest = isJoined ? others : others.slice(1)
  }
  return { remote: Object.keys(remote).length === 0 ? undefined : remote, rest }
}
