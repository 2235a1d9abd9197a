import { open } from 'node:fs/promises'
import { z } from 'zod'
import { parseExactJson } from '../gate/json/exact-json.ts'
import { UpstreamFault } from './upstream-fault.ts'

/** The operator's file of commands. */
const upstreamCommandsBytesMax = 65_536

/** A program that speaks MCP on its standard input and output. */
export type UpstreamCommand = z.output<typeof command>

const command = z.strictObject({
  command: z.string().min(1),
  args: z.array(z.string()).default([]),
  /** All of its environment, beside PATH, HOME and the like. */
  env: z.record(z.string(), z.string()).default({}),
  cwd: z.string().optional(),
  /** The accounts that may use it; absent: all. */
  accounts: z.array(z.string()).optional(),
})
const file = z.record(z.string(), command)

/**
 * Finds a command in the operator's file, which is read each time.
 * @param path  of the file, as UPSTREAM_COMMANDS names it; undefined: there is none
 * @throws UpstreamFault
 */
export async function findCommand(
  path: string | undefined,
  account: string,
  name: string,
): Promise<UpstreamCommand> {
  if (path === undefined) throw fault('UPSTREAM_COMMANDS is not set, so no command can be run')
  const commands = file.safeParse(await readJson(path))
  if (!commands.success) {
    throw unusable(commands.error)
  }
  const found = Object.hasOwn(commands.data, name) ? commands.data[name] : undefined
  if (!found || (found.accounts && !found.accounts.includes(account)))
    throw fault(`the file of UPSTREAM_COMMANDS has no command ${name} for this account`)
  return found
}

async function readJson(path: string): Promise<unknown> {
  try {
    const handle = await open(path)
    try {
      const { size } = await handle.stat()
      if (size > upstreamCommandsBytesMax) throw new Error('it is too large')
      return parseExactJson(await handle.readFile('utf8'))
    } finally {
      await handle.close()
    }
  } catch (error) {
    throw unusable(error)
  }
}

/** The error for a file that cannot be used. Its cause can quote the file, but its sentence reaches agents and other accounts. */
const unusable = (cause: unknown) =>
  Object.assign(fault('the file of UPSTREAM_COMMANDS cannot be used'), { cause })

const fault = (sentence: string) => new UpstreamFault(sentence, { isNotDone: true })
