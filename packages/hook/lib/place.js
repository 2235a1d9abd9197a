import { homedir, userInfo } from 'node:os'
import { join, resolve } from 'node:path'
import { HookError } from './hook-error.js'

/** @typedef {import('./index.js').Place} Place */
/**
 * @typedef {{runner: import('./index.js').Runner, scope: import('./index.js').Scope, dir: string, repository: string,
 *   env: import('./index.js').Env, home: string, config: string}} Located
 */

/** @type {readonly import('./index.js').Runner[]} */
export const runners = ['claude', 'codex', 'gemini', 'cursor', 'copilot', 'opencode']
/** @type {readonly import('./index.js').Scope[]} */
export const scopes = ['user', 'project', 'local']

/**
 * Fills in the defaults of a place.
 * @param {Place} place
 * @returns {Located} `config` is the folder with the program, the keys and the backups: the same whatever the environment says.
 *   `dir`: below which the hook's entry is. `repository`: in which the runner works
 * @throws {HookError} on a scope that the runner has not
 */
export function locate({ runner, scope = 'user', dir, env = process.env }) {
  if (process.platform === 'win32') throw new HookError('Windows is not supported. Use WSL.')
  if (!runners.includes(runner)) throw new HookError(`--runner must be one of ${runners.join(', ')}.`)
  if (!scopes.includes(scope)) throw new HookError(`--scope must be one of ${scopes.join(', ')}.`)
  if (scope === 'local' && runner !== 'claude')
    throw new HookError('The scope local is for Claude Code alone. Use user or project.')
  const home = env['HOME'] || homedir()
  const repository = resolve(dir ?? '.')
  return {
    runner,
    scope,
    dir: scope === 'user' ? home : repository,
    repository,
    env,
    home,
    config: join(home, '.config', 'qualification-gate'),
  }
}

/** The home folder of the password database, in which the entries of projects look for the program. */
export const accountHome = () => userInfo().homedir
