import { readCommandLine } from './cli/command-line.ts'
import { type CliContext, type CliIo, openContext } from './cli/context.ts'
import { nouns } from './cli/nouns.ts'
import { forPeople } from './cli/print.ts'
import { reasonOf } from './cli/refusals.ts'
import { usageOfAll, usageOfNoun, usageOfVerb } from './cli/usage.ts'
import { UsageError, type Verb } from './cli/verb.ts'
import { asOneRequest } from './db/writes.ts'
import { isProgram } from './root.ts'

/**
 * Runs one command: `gate <noun> <verb> …`.
 * @param argv  the words after the program's name
 * @returns the exit code: 0 done; 1 refused or not found, with the reason on stderr; 2 usage
 * @source product rulings §2
 */
export async function runCli(argv: string[], io: CliIo): Promise<number> {
  const found = await findVerb(argv)
  if ('usage' in found) {
    const stream = found.isAsked ? io.stdout : io.stderr
    stream.write(`${found.usage}\n`)
    return found.isAsked ? 0 : 2
  }
  const usage = usageOfVerb(found.name, found.verb)
  try {
    const { isHelp, isJson, values } = readCommandLine(found.verb, found.args)
    if (isHelp) {
      io.stdout.write(`${usage}\n`)
      return 0
    }
    return await runVerb(found.verb, values, openContext(io, isJson))
  } catch (error) {
    const isUsage = error instanceof UsageError
    io.stderr.write(isUsage ? `gate ${found.name}: ${error.message}.\n\n${usage}\n` : `${reasonOf(error)}\n`)
    return isUsage ? 2 : 1
  }
}

async function runVerb(verb: Verb, values: Record<string, unknown>, context: CliContext): Promise<number> {
  try {
    // Once it may have written, no later failure says that nothing was changed.
    const answer = await asOneRequest(() => verb.run(context, values as never))
    const refusal = verb.refusal?.(answer as never) ?? null
    if (context.isJson && answer !== undefined) context.stdout.write(`${JSON.stringify(answer)}\n`)
    if (!context.isJson && answer !== undefined && (refusal === null || verb.isReport)) {
      context.stdout.write(`${verb.text?.(answer as never) ?? forPeople(answer)}\n`)
    }
    if (refusal !== null) context.say(refusal)
    return refusal === null ? 0 : 1
  } finally {
    await context.close()
  }
}

type Found = { name: string; verb: Verb; args: string[] } | { usage: string; isAsked: boolean }

async function findVerb([noun = '', ...rest]: string[]): Promise<Found> {
  if (!Object.hasOwn(nouns, noun)) return { usage: await usageOfAll(nouns), isAsked: noun === '--help' }
  const verbs = await nouns[noun]!()
  if (verbs['']) return { name: noun, verb: verbs[''], args: rest }
  const [verb = '', ...args] = rest
  if (!Object.hasOwn(verbs, verb)) return { usage: usageOfNoun(noun, verbs), isAsked: verb === '--help' }
  return { name: `${noun} ${verb}`, verb: verbs[verb]!, args }
}

if (isProgram(import.meta.url)) {
  // The reader of a pipe may have seen enough.
  process.stdout.on('error', () => process.exit(1))
  const { stdout, stderr } = process
  const code = await runCli(process.argv.slice(2), { stdout, stderr })
  // Once all is written: what Temporal's client still waits for concerns nobody.
  stdout.write('', () => process.exit(code))
}
