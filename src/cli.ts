import { givenAccount } from './cli/account-option.ts'
import { needsAccount, readCommandLine, remoteOptions } from './cli/command-line.ts'
import { type CliContext, type CliIo, openContext } from './cli/context.ts'
import { defaultAccount } from './cli/default-account.ts'
import { findVerb } from './cli/find-verb.ts'
import { nouns } from './cli/nouns.ts'
import { formatForPeople, print, printJson } from './cli/print.ts'
import { errorSentence, trueReason } from './cli/refusals.ts'
import { helpOfVerb, usageOfVerb } from './cli/usage.ts'
import { type GivenAccount, UsageError, type Verb } from './cli/verb.ts'
import { asOneRequest } from './db/writes.ts'
import { isProgram } from './process/root.ts'

/**
 * Runs one command: `gate <noun> <verb> …`.
 * @param argv  the arguments after the program's name
 * @returns the exit code: 0 success; 1 refused or not found, with the reason on stderr; 2 wrong usage
 * @source docs/cli.md
 */
export async function runCli(argv: string[], io: CliIo): Promise<number> {
  const { remote, rest } = remoteOptions(argv)
  const command = await findVerb(nouns, rest)
  if ('help' in command) return answer(io.stdout, command.help, 0)
  if ('usage' in command) {
    const { problem, usage } = command
    return answer(io.stderr, problem === null ? usage : `${problem}\n\n${usage}`, 2)
  }
  const { name, verb, args } = command
  try {
    const { isHelp, isJson, values } = readCommandLine(verb, args)
    if (isHelp) return answer(io.stdout, helpOfVerb(name, verb), 0)
    if (remote) {
      const { overAt } = await import('./cli/over-url.ts')
      return await runVerb(await overAt(name, verb, remote, io), values, openContext(io, isJson), true)
    }
    return await runVerb(verb, values, openContext(io, isJson))
  } catch (error) {
    if (!(error instanceof UsageError)) return answer(io.stderr, errorSentence(error), 1)
    const parts = [`gate ${name}: ${error.message}.`, error.help, usageOfVerb(name, verb)]
    const hint = `gate help ${name} describes every option.`
    return answer(io.stderr, `${parts.filter(Boolean).join('\n\n')}\n${hint}`, 2)
  }
}

function answer(stream: NodeJS.WritableStream, text: string, code: number): number {
  print(stream, text)
  return code
}

async function runVerb(
  verb: Verb,
  values: Record<string, unknown>,
  context: CliContext,
  isRemote = false,
): Promise<number> {
  try {
    // Once it may have written, no later failure says that nothing was changed.
    const account = !isRemote && needsAccount(verb, values) ? { account: await defaultAccount(context) } : {}
    const result = await asOneRequest(() => verb.run(context, { ...values, ...account } as never))
    const refusal = verb.refusal?.(result as never) ?? null
    if (context.isJson && result !== undefined) printJson(context.stdout, result)
    if (!context.isJson && result !== undefined && (refusal === null || verb.isReport)) {
      print(context.stdout, textOf(verb, result, givenAccount(values)))
    }
    if (refusal !== null) context.say(refusal)
    return refusal === null ? 0 : 1
  } catch (error) {
    throw await trueReason(error, context.db)
  } finally {
    await context.close()
  }
}

const textOf = (verb: Verb, result: unknown, account: GivenAccount): string =>
  verb.text?.(result as never, account) ??
  formatForPeople(result, { columns: verb.columns, empty: verb.empty?.(account) })

if (isProgram(import.meta.url)) {
  // The reader of the pipe may close it early.
  process.stdout.on('error', () => process.exit(1))
  const { stdout, stderr } = process
  const code = await runCli(process.argv.slice(2), { stdout, stderr })
  // Exit once all output is written, without waiting for Temporal's client.
  stdout.write('', () => process.exit(code))
}
