import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { projectRoot } from '../src/process/root.ts'

/**
 * The variables of modules whose value changes while the program runs, with the reason why one value serves everybody. Test
 * files share the modules of their process, and so do the accounts of a service.
 */
const kept = {
  'dev/start.ts starting': 'of the program, which imports nothing twice',
  'dev/start.ts stopping': 'of the program, which imports nothing twice',
  'packages/client/lib/adapters/ai-sdk.js callsOf':
    'what belongs to a tool of ours, kept as long as the tool',
  'packages/client/lib/adapters/openai-agents.js callsOf': 'the same',
  'packages/receipts/lib/key-source.js known': 'by address, and bounded',
  'src/db/queries/actions/deliveries.ts waitingOf': 'by database connection',
  'src/db/schema.ts program': 'the files of this version: they do not change',
  'src/db/writes.ts leftBehind': 'the timer that follows requests whose callers are gone: one',
  'src/db/writes.ts requests': 'each request has its own',
  'src/db/writes.ts running': 'how many there are: none after the last',
  'src/operations/proposals/propose-declared.ts kept': 'by kind, in its version',
  'src/operations/seals/await-sealed.ts underWay': 'by the dependencies of a service',
  'src/operations/seals/epoch-consistency.ts madePaths': 'by database connection',
  'src/operations/seals/proven.ts provingSeals': 'by database connection',
  'src/previews/file-cache.ts cacheOf': 'by workspace',
  'src/previews/proxy.ts requestsUnderWay': 'by the socket of a preview, and gone with the request',
  'src/transports/mcp/modern-message.ts knownEnvelopes':
    'texts that the SDK accepted, whoever sent them; bounded',
  'src/transports/mcp/declared-kinds.ts kept': 'by kind, in its version',
  'src/upstreams/schemas/schema-faults.ts metas': 'by dialect: they do not change',
  'src/web/routing.ts sent': 'by request, and gone with it',
  'src/web/times.ts made': 'by time zone: they do not change',
  'src/workers/start-workers.ts isInstalled': "Temporal's runtime, of which a process has one",
}

const roots = [
  'src',
  'activities',
  'dev',
  'packages/hook/lib',
  'packages/receipts/lib',
  'packages/client/lib',
  'packages/attack/lib',
]

test('no module keeps anything from one call to the next, but what is listed here', () => {
  const found = roots.flatMap(filesUnder).flatMap((file) => {
    const code = readFileSync(join(projectRoot, file), 'utf8')
    return variablesOf(code).map((name) => `${file} ${name}`)
  })
  expect(found.sort()).toEqual(Object.keys(kept).sort())
})

test('the check finds what may change: `let`, `var`, and what begins empty', () => {
  const code = `
let first = 1
export let second: number | undefined
var third
const fourth = new Map<string, { a: number }>()
export const fifth: Set<string> = new Set()
const sixth: string[] = []
const seventh: Record<string, number> = {}
const eighth = new AsyncLocalStorage<Store>()
const table = new Set(['a'])
const list = ['a']
  let inside = 1`
  const names = ['first', 'second', 'third', 'fourth', 'fifth', 'sixth', 'seventh', 'eighth']
  expect(variablesOf(code)).toEqual(names)
})

function variablesOf(code: string): string[] {
  const variable =
    /^(?:export )?(?:(?:let|var) (\w+)|const (\w+)(?:: [^=]+)? = (?:new \w+(?:<.*>)?\(\)|\[\]|\{\})$)/gm
  return [...code.matchAll(variable)].map((match) => match[1] ?? match[2]!)
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|js)$/.test(file))
    .map((file) => `${folder}/${file}`)
}
