import { readCommandLine } from './cli/command-line.ts'
import { type CliContext, type CliIo, openContext } from './cli/context.ts'
import { nouns } from './cli/nouns.ts'
import { formatForPeople } from './cli/print.ts'
import { errorSentence } from './cli/refusals.ts'
import { usageOfAll, usageOfNoun, usageOfVerb } from './cli/usage.ts'
import { UsageError, type Verb } from './cli/verb.ts'
import { asOneRequest } from './db/writes.ts'
import { isProgram } from './root.ts'

/**
 * Runs one command: `gate <noun> <verb> …`.
 * @param argv  the arguments after the program's name
 * @returns the exit code: 0 success; 1 refused or not found, with the reason on stderr; 2 wrong usage
 * @source docs/cli.md
 */
export async function runCli(argv: string[], io: CliIo): Promise<number> {
  const command = await findVerb(argv)
  if ('usage' in command) {
    const stream = command.isHelp ? io.stdout : io.stderr
    stream.write(`${command.usage}\n`)
    return command.isHelp ? 0 : 2
  }
  const usage = usageOfVerb(command.name, command.verb)
  try {
    const { isHelp, isJson, values } = readCommandLine(command.verb, command.args)
    if (isHelp) {
      io.stdout.write(`${usage}\n`)
      return 0
    }
    return await runVerb(command.verb, values, openContext(io, isJson))
  } catch (error) {
    const isUsage = error instanceof UsageError
    io.stderr.write(
      isUsage ? `gate ${command.name}: ${error.message}.\n\n${usage}\n` : `${errorSentence(error)}\n`,
    )
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
      context.stdout.write(`${verb.text?.(answer as never) ?? formatForPeople(answer)}\n`)
    }
    if (refusal !== null) context.say(refusal)
    return refusal === null ? 0 : 1
  } finally {
    await context.close()
  }
}

type Command = { name: string; verb: Verb; args: string[] } | { usage: string; isHelp: boolean }

async function findVerb([noun = '', ...rest]: string[]): Promise<Command> {
  if (!Object.hasOwn(nouns, noun)) return { usage: await usageOfAll(nouns), isHelp: noun === '--help' }
  const verbs = await nouns[noun]!()
  if (verbs['']) return { name: noun, verb: verbs[''], args: rest }
  const [verb = '', ...args] = rest
  if (!Object.hasOwn(verbs, verb)) return { usage: usageOfNoun(noun, verbs), isHelp: verb === '--help' }
  return { name: `${noun} ${verb}`, verb: verbs[verb]!, args }
}

if (isProgram(import.meta.url)) {
  // The reader of the pipe may close it early.
  process.stdout.on('error', () => process.exit(1))
  const { stdout, stderr } = process
  const code = await runCli(process.argv.slice(2), { stdout, stderr })
  // Exit once all output is written, without waiting for Temporal's client.
  stdout.write('', () => process.exit(code))
}
