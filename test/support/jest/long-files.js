import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { importsOf } from './files.js'

const root = join(import.meta.dirname, '..', '..', '..')

/** How long each file of the long suite took when it was last recorded, in seconds: `npm run test:long -- --record`. */
export const secondsFile = join(import.meta.dirname, 'long-seconds.json')

/** How long the tests of a change may take together, by what was recorded; two files run at a time. */
const changeSecondsMax = 2 * 480
/** The seconds that a file without a record counts as. */
const unknownSeconds = 60
/** The commits of a change: those so long before the last one. */
const changeHours = 6

/** @returns the files of the long suite, by their paths in the project */
export function longFiles() {
  return ['test', 'packages'].flatMap(filesUnder).filter((file) => file.endsWith('.long.ts'))
}

function filesUnder(folder) {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !entry.parentPath.includes('node_modules'))
    .map(({ name, parentPath }) => relative(root, join(parentPath, name)))
}

/** @returns what the last commits changed, and what is not committed, by their paths in the project */
export function changedFiles() {
  const git = (...args) => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim()
  const last = Number(git('log', '-1', '--format=%ct'))
  const base =
    git('rev-list', '-1', `--before=${last - changeHours * 3600}`, 'HEAD') ||
    git('rev-list', '--max-parents=0', 'HEAD').split('\n')[0]
  return git('diff', '--name-only', base).split('\n').filter(Boolean)
}

/**
 * Chooses the tests of a change: those that reach most of the changed files through their imports, and of these the ones that
 * reach least besides, within the time that a change may take. At least one.
 * @param {string[]} changed @param {string[]} among
 */
export function testsOf(changed, among) {
  const seconds = existsSync(secondsFile) ? JSON.parse(readFileSync(secondsFile, 'utf8')) : {}
  const ranked = among
    .map((file) => {
      const reached = reachedBy(file)
      const cost = seconds[file] ?? unknownSeconds
      return { file, cost, hits: changed.filter((path) => reached.has(path)).length, size: reached.size }
    })
    .toSorted((a, b) => b.hits - a.hits || a.size - b.size || a.cost - b.cost)
  const chosen = ranked.slice(0, 1)
  let spent = chosen[0]?.cost ?? 0
  for (const next of ranked.slice(1)) {
    if (next.hits === 0 || spent + next.cost > changeSecondsMax) continue
    chosen.push(next)
    spent += next.cost
  }
  return chosen.map(({ file }) => file)
}

const wholeProgram = ['src', 'workflows', 'activities', 'dev', 'packages', 'bin']
/** A test that uses one of these runs the program as it is deployed: it imports nothing of it, and tests all of it. */
const runsProgram = /support\/(?:program|supervisor)\.ts|start\/started\.ts|bin['/, ]+start\.js/

/** @returns what a file imports, directly and through others, and itself */
function reachedBy(file) {
  const reached = new Set()
  const waiting = [join(root, file)]
  while (waiting.length > 0) {
    const next = waiting.pop()
    const path = relative(root, next)
    if (reached.has(path)) continue
    reached.add(path)
    const text = /\.[jt]s$/.test(next) ? readFileSync(next, 'utf8') : ''
    if (path.startsWith('test') && runsProgram.test(text))
      for (const folder of wholeProgram) filesUnder(folder).forEach((one) => reached.add(one))
    waiting.push(...importsOf(next, text))
  }
  return reached
}
