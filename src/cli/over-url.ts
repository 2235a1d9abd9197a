import { readConfig } from '../config.ts'
import { isKeyForm } from '../keys/api-key.ts'
import type { RemoteOptions } from './command-line.ts'
import type { CliIo } from './context.ts'
import { readFileOption } from './read-file-option.ts'
import { gateAt, remoteCall } from './remote-gate.ts'
import { remoteVerbs, withDates } from './remote-verbs.ts'
import { UsageError, type Verb } from './verb.ts'

/**
 * The same verb over a gate on another machine.
 * @throws UsageError where it has no route, or there is no key
 */
export async function overAt(name: string, verb: Verb, options: RemoteOptions, io: CliIo): Promise<Verb> {
  if (options.url === undefined) throw new UsageError('--key and --key-file go with --url')
  const run = remoteVerbs[name]
  if (!run) throw new UsageError(`it does not work over --url: ${await reasonOf(name)}`)
  const gate = gateAt(options.url, keyOf(options, io))
  const { adminOperations } = await import('../operations/administration/registry.ts')
  const call = remoteCall(gate, adminOperations)
  return {
    ...verb,
    async run(context, values) {
      if ((values as { account?: string }).account !== undefined)
        throw new UsageError('--account does not go with --url: the key names the account')
      const answer = await run(call, values as Record<string, unknown>, context)
      return context.isJson ? answer : withDates(answer)
    },
  }
}

/** The key of the option, of its file or of the environment. No message repeats it. @throws UsageError */
function keyOf({ key, 'key-file': file }: RemoteOptions, { env }: CliIo): string {
  const given =
    key ?? (file === undefined ? readConfig(env).GATE_KEY : readFileOption('key-file', file, 1_000))
  if (given === undefined)
    throw new UsageError('give the key with --key-file FILE, or in the variable GATE_KEY')
  if (!isKeyForm(given.trim())) throw new UsageError('the key is not a whole API key: copy it again')
  return given.trim()
}

async function reasonOf(name: string): Promise<string> {
  const { routeOfVerb } = await import('./routes.ts')
  const route = routeOfVerb[name]
  return route && 'none' in route ? route.none : 'use the API: see docs/admin-api.md'
}
