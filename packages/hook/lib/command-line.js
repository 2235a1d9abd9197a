import { parseArgs } from 'node:util'
import {
  HookError,
  doctor,
  install,
  installKey,
  managed,
  managedText,
  removalText,
  reportText,
  runners,
  uninstall,
  writeManaged,
} from './index.js'

const usage = `Usage: npx --no qualification-gate-hook install --runner RUNNER --url URL --key KEY [options]
       npx --no qualification-gate-hook install --managed --runner RUNNER --url URL [--out FOLDER]
       npx --no qualification-gate-hook key --runner RUNNER --key KEY
       npx --no qualification-gate-hook uninstall --runner RUNNER [--scope SCOPE] [--dir FOLDER]
       npx --no qualification-gate-hook doctor --runner RUNNER [--scope SCOPE] [--dir FOLDER] [--live] [--managed]

  --runner RUNNER  ${runners.join(', ')}
  --url URL        Address of the gate
  --key KEY        API key of the runner; if absent: the variable GATE_KEY
  --scope SCOPE    user (default), project, or local (Claude Code, Codex)
  --dir FOLDER     Folder in which the runner works; if absent: this folder
  --ca FILE        Certificates to trust for the gate instead of those of the system
  --wait N         Seconds for which a call waits for a person, 0 to 50
  --headless       Claude Code without a terminal (claude -p): end the run while the member decides
  --binary FILE    Program of the runner, if it is not on the PATH
  --no-canary      Do not check after installing
  --live           Also drive the runner itself with a model on this machine (Claude Code, Codex)
  --managed        install: print the files of an administrator. doctor: check them
  --out FOLDER     With --managed: write them into this folder
  --json           Print one JSON value

Exit code: 0 done, 1 refused or something that must block does not, 2 wrong usage.`

const options = /** @type {const} */ ({
  runner: { type: 'string' },
  url: { type: 'string' },
  key: { type: 'string' },
  ca: { type: 'string' },
  scope: { type: 'string' },
  dir: { type: 'string' },
  wait: { type: 'string' },
  headless: { type: 'boolean' },
  binary: { type: 'string' },
  out: { type: 'string' },
  'no-canary': { type: 'boolean' },
  live: { type: 'boolean' },
  managed: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
})

/** A wrong command line. */
class UsageError extends Error {}

/**
 * Runs one command.
 * @param {string[]} argv
 * @param {{env: import('./index.js').Env, stdout: NodeJS.WritableStream, stderr: NodeJS.WritableStream}} io
 * @returns {Promise<number>} the exit code
 */
export async function run(argv, { env, stdout, stderr }) {
  try {
    const { command, given } = read(argv)
    if (given.help || command === 'help') return say(stdout, usage, 0)
    const { value, text, code } = await answerTo(command, given, env)
    return say(stdout, given.json ? JSON.stringify(value) : text, code)
  } catch (error) {
    if (error instanceof UsageError)
      return say(stderr, `qualification-gate-hook: ${error.message}\n\n${usage}`, 2)
    if (error instanceof HookError) return say(stderr, error.message, 1)
    throw error
  }
}

/** @param {string[]} argv */
function read(argv) {
  try {
    const { values, positionals } = parseArgs({ args: argv, options, allowPositionals: true })
    const [command = '', ...more] = positionals
    if (more.length > 0) throw new UsageError(`unexpected argument ${more[0]}`)
    return { command, given: values }
  } catch (error) {
    throw error instanceof UsageError ? error : new UsageError(/** @type {Error} */ (error).message)
  }
}

/**
 * @param {string} command
 * @param {ReturnType<typeof read>['given']} given
 * @param {import('./index.js').Env} env
 * @returns {Promise<{value: unknown, text: string, code: number}>}
 */
async function answerTo(command, given, env) {
  if (!['install', 'key', 'uninstall', 'doctor'].includes(command))
    throw new UsageError(command === '' ? 'name a command' : `unknown command ${command}`)
  const runner = /** @type {import('./index.js').Runner} */ (need('runner', given.runner))
  const scope = /** @type {import('./index.js').Scope | undefined} */ (given.scope)
  const place = { runner, scope, dir: given.dir, env, binary: given.binary, isLive: given.live }
  if (command === 'uninstall') {
    const removal = await uninstall(place)
    return { value: removal, text: removalText(removal), code: 0 }
  }
  if (command === 'doctor') return reported(await doctor({ ...place, isManaged: given.managed }))
  if (command === 'key') {
    const written = installKey({ runner, env, key: need('key', given.key ?? env['GATE_KEY']) })
    return { value: written, text: removalText(written), code: 0 }
  }

  const url = need('url', given.url)
  const wait = given.wait === undefined ? undefined : Number(given.wait)
  if (given.managed) {
    const files = managed({ runner, url, ca: given.ca, wait, headless: given.headless })
    const paths = given.out === undefined ? null : writeManaged(files, given.out)
    return {
      value: paths ? { ...files, written: paths } : files,
      text: paths?.join('\n') ?? managedText(files),
      code: 0,
    }
  }
  const key = need('key', given.key ?? env['GATE_KEY'])
  return reported(
    await install({
      ...place,
      url,
      key,
      ca: given.ca,
      wait,
      headless: given.headless,
      hasCanary: !given['no-canary'],
    }),
  )
}

/** @param {import('./index.js').Report} report */
const reported = (report) => ({ value: report, text: reportText(report), code: report.is_gating ? 0 : 1 })

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
