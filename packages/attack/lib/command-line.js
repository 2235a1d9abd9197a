import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { attacks, mcpAdapter, reportText, restAdapter, runAttacks, sarifOf } from './index.js'
import { discover } from './discover.js'
import { asciiJson, resultLine } from './report.js'

const usage = `Usage: qualification-gate-attack --url URL --key KEY [options]

  --url URL                 Address of the gate
  --key KEY                 API key of an agent that may read, propose and confirm; if absent: the variable GATE_KEY
  --transport T             rest, mcp or both (default)
  --member EMAIL            A member who may propose; if absent: found in the list of actions
  --other-member EMAIL      Another member
  --low-member EMAIL        A member who may not propose
  --second-key KEY          A key of another account
  --limited-key KEY         A key that may read and propose, but not confirm
  --revoked-key KEY         A key that was revoked
  --runner-key KEY          A key of an agent runner
  --conversation ID         A conversation of the member
  --foreign-conversation ID A conversation in which the member takes no part
  --allow-effects           Also confirm proposals and use up the open ones of the member: only on a sandbox
  --only ID,ID              Only these attacks
  --list                    List the attacks with what they test and need
  --json FILE               Write the run as JSON (- for standard output)
  --sarif FILE              Write the run as SARIF 2.1.0

Exit code: 0 none failed, 1 some failed, 2 wrong usage.`

const options = /** @type {const} */ ({
  url: { type: 'string' },
  key: { type: 'string' },
  transport: { type: 'string' },
  member: { type: 'string' },
  'other-member': { type: 'string' },
  'low-member': { type: 'string' },
  'second-key': { type: 'string' },
  'limited-key': { type: 'string' },
  'revoked-key': { type: 'string' },
  'runner-key': { type: 'string' },
  conversation: { type: 'string' },
  'foreign-conversation': { type: 'string' },
  'allow-effects': { type: 'boolean' },
  only: { type: 'string' },
  list: { type: 'boolean' },
  json: { type: 'string' },
  sarif: { type: 'string' },
  help: { type: 'boolean', short: 'h' },
})

/** A wrong command line. */
class UsageError extends Error {}

const transports = { rest: restAdapter, mcp: mcpAdapter }

/**
 * Runs the command.
 * @param {string[]} argv
 * @param {{ env: Record<string, string | undefined>, stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream }} io
 * @returns {Promise<number>} the exit code
 */
export async function run(argv, { env, stdout, stderr }) {
  try {
    const given = read(argv)
    if (given.help) return say(stdout, usage, 0)
    if (given.list) return say(stdout, listing(), 0)
    return await attackAll(given, { env, stdout })
  } catch (error) {
    if (error instanceof UsageError)
      return say(stderr, `qualification-gate-attack: ${error.message}\n\n${usage}`, 2)
    throw error
  }
}

/** @param {string[]} argv */
function read(argv) {
  try {
    return parseArgs({ args: argv, options }).values
  } catch (error) {
    throw new UsageError(/** @type {Error} */ (error).message)
  }
}

/**
 * @param {ReturnType<typeof read>} given
 * @param {{ env: Record<string, string | undefined>, stdout: NodeJS.WritableStream }} io
 */
async function attackAll(given, { env, stdout }) {
  const url = need('url', given.url)
  if (!URL.canParse(url)) throw new UsageError('--url is no address')
  const key = need('key', given.key ?? env['GATE_KEY'])
  const adapters = chosen(given.transport).map((name) => transports[name]({ url, key }))
  const [adapter] = adapters
  if (!adapter) throw new UsageError('--transport names none')
  const scene = await discover(adapter, sceneOf(given))
  const secrets = [key, given['second-key'], given['limited-key'], given['revoked-key'], given['runner-key']]
  const isJsonOut = given.json === '-'
  const result = await runAttacks({
    url,
    adapters,
    scene,
    ...(given.only === undefined ? {} : { only: ids(given.only) }),
    secrets: secrets.filter((secret) => secret !== undefined),
    onResult: (one) => void (isJsonOut || stdout.write(`${resultLine(one)}\n`)),
  })
  if (given.json !== undefined && !isJsonOut) writeFileSync(given.json, json(result))
  if (given.sarif !== undefined) writeFileSync(given.sarif, json(sarifOf(result)))
  return say(stdout, isJsonOut ? json(result).trimEnd() : reportText(result), result.failed > 0 ? 1 : 0)
}

/** @param {ReturnType<typeof read>} given @returns {import('./index.js').Scene} */
const sceneOf = (given) => ({
  member: named(given.member),
  other: named(given['other-member']),
  low: named(given['low-member']),
  secondKey: given['second-key'],
  limitedKey: given['limited-key'],
  revokedKey: given['revoked-key'],
  runnerKey: given['runner-key'],
  conversation: given.conversation,
  foreignConversation: given['foreign-conversation'],
  allowEffects: given['allow-effects'] ?? false,
})

/** @param {string | undefined} email */
const named = (email) => (email === undefined ? undefined : { email })

/** @param {string | undefined} transport @returns {(keyof typeof transports)[]} */
function chosen(transport = 'both') {
  if (transport === 'both') return ['rest', 'mcp']
  if (transport === 'rest' || transport === 'mcp') return [transport]
  throw new UsageError('--transport is rest, mcp or both')
}

/** @param {string} only */
function ids(only) {
  const names = only.split(',').map((id) => id.trim())
  const unknown = names.find((id) => !attacks.some((attack) => attack.id === id))
  if (unknown !== undefined) throw new UsageError(`no attack ${unknown}: see --list`)
  return names
}

const listing = () =>
  attacks
    .map(({ id, title, requirements, needs }) => [
      `${id.padEnd(28)}  ${title}`,
      `  tests ${requirements.join(', ')}`,
      needs.length === 0 ? '' : `; needs ${needs.join(', ')}`,
    ])
    .map(([line, tests, what]) => `${line}\n${tests}${what}`)
    .join('\n')

/** @param {unknown} value */
const json = (value) => `${asciiJson(value)}\n`

/** @param {string} name @param {string | undefined} value */
function need(name, value) {
  if (!value) throw new UsageError(`--${name} is required`)
  return value
}

/** @param {NodeJS.WritableStream} stream @param {string} text @param {number} code */
function say(stream, text, code) {
  stream.write(`${text}\n`)
  return code
}
