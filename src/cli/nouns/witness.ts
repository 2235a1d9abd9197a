import { hostname } from 'node:os'
import { z } from 'zod'
import { limits } from '../../limits.ts'
import { type NoteKey, parseVkey, vkeyOf } from '../../seals/note.ts'
import { parseTrustPolicy } from '../../seals/trust-policy.ts'
import { readPolicyFile } from '../../seals/cosigning/witness-policy.ts'
import { openWitnessFolder } from '../../seals/witness/folder.ts'
import { serveWitness } from '../../seals/witness/server.ts'
import { sayTakenPort } from '../../network/taken-port.ts'
import type { CliContext } from '../context.ts'
import { print, printJson } from '../print.ts'
import { defineVerb, optional, repeatable, required } from '../verb.ts'

const witnessPort = 8790

const folder = z.string().min(1, 'must name a folder')
const file = z.string().min(1, 'must name a file')
const name = z
  .string()
  .max(limits.nameCharsMax, `must have at most ${limits.nameCharsMax} characters`)
  .regex(/^[^\s+]+$/u, 'must have neither a space nor a plus sign')
const address = z
  .string()
  .regex(/^(\[[0-9a-fA-F:.]+\]|[^\s:[\]]+):\d{1,5}$/, 'must be HOST:PORT')
  .transform((text) => ({
    host: text.slice(0, text.lastIndexOf(':')).replace(/^\[|\]$/g, ''),
    port: Number(text.slice(text.lastIndexOf(':') + 1)),
  }))
  .refine(({ port }) => port <= 65_535, 'must have a port of at most 65535')
const logKey = z.string().transform((text, context) => {
  const key = parseVkey(text)
  if (key?.type === 0x01) return key
  context.addIssue({ code: 'custom', message: 'must be the vkey of a log, as `gate ledger keys` prints it' })
  return z.NEVER
})

const exampleKey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k'

export const witness = defineVerb({
  summary:
    'Run a witness: it cosigns each checkpoint of a log that extends the one before. Needs no database',
  options: {
    dir: required(
      'FOLDER',
      folder,
      'Where the witness keeps its key and what it cosigned',
      '/var/lib/witness',
    ),
    listen: optional('HOST:PORT', address, 'Where it listens; if absent: 127.0.0.1:8790', '127.0.0.1:8790'),
    name: optional(
      'NAME',
      name,
      'Name of a new witness; if absent: the name of this machine',
      'witness.example',
    ),
    log: repeatable('VKEY', logKey, 'Key of a log whose checkpoints it cosigns', exampleKey),
    policy: optional('FILE', file, 'A trust policy whose logs it cosigns too', 'policy.txt'),
  },
  async run(context, given): Promise<undefined> {
    const logs = [...given.log, ...(given.policy === undefined ? [] : logsOf(given.policy))]
    const kept = openWitnessFolder(given.dir, {
      name: given.name,
      newName: `${hostname()}/witness`,
    })
    const say = (line: string) => context.say(line)
    try {
      const { host, port } = given.listen ?? { host: '127.0.0.1', port: witnessPort }
      const running = await serveWitness({ ...kept, logs, now: Date.now, say }, { host, port }).catch(
        sayTakenPort('--listen', { host, port }),
      )
      present(context, { name: kept.signer.name, vkey: vkeyOf(kept.signer), address: running.url, logs })
      await stopRequested()
      await running.stop()
    } finally {
      kept.release()
    }
  },
})

function logsOf(path: string): NoteKey[] {
  return parseTrustPolicy(readPolicyFile(path)).logs.map(({ key }) => key)
}

interface Presented {
  name: string
  vkey: string
  address: string
  logs: readonly NoteKey[]
}

/** Prints each fact on one line, so that a script can read them while the witness runs. */
function present({ isJson, stdout }: CliContext, { name: own, vkey, address: url, logs }: Presented): void {
  const origins = [...new Set(logs.map((key) => key.name))]
  const policyLine = `witness ${own} ${vkey} ${url}`
  if (isJson) return printJson(stdout, { name: own, vkey, address: url, policy_line: policyLine, origins })
  print(
    stdout,
    [
      `Witness ${own} listens on ${url}`,
      `vkey: ${vkey}`,
      `Line for a trust policy: ${policyLine}`,
      origins.length === 0
        ? 'Cosigns nothing: it knows no log. Stop it and start it again with --log or --policy.'
        : `Cosigns: ${origins.join(', ')}`,
    ].join('\n'),
  )
}

/** Waits for the first signal that ends a process. */
function stopRequested(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => resolve())
  })
}
