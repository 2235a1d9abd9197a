import { readFileSync, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { shared } from './commands.js'
import { setVariables } from './hook-problems.js'
import { parseJsonc } from './jsonc.js'
import { pluginOf } from './plan.js'
import { parseToml } from './toml.js'
import { variablesIn } from './variables.js'

/** @typedef {import('./hook-problems.js').Judge} Judge */
/** @typedef {import('./hook-problems.js').Problem} Problem */
/** A file, or a folder of files, that a runner reads. @typedef {{path: string, problems: (path: string) => Problem[]}} Read */

const bytesMax = 1_000_000

/** @param {string} path @param {Judge} judge @returns {Read} */
export const jsonc = (path, judge) => ({ path, problems: (file) => judged(file, parseJsonc, judge) })

/** @param {string} path @param {Judge} judge @returns {Read} */
export const toml = (path, judge) => ({ path, problems: (file) => judged(file, parseToml, judge) })

/** @param {string} path @returns {Read} */
export const dotenv = (path) => ({
  path,
  problems: (file) => judged(file, variablesIn, (names) => setVariables(names, '')),
})

/** What programs made with Bun read in the folder in which they start. @param {string} path @returns {Read} */
export const bunFile = (path) =>
  path.endsWith('.toml')
    ? toml(path, ({ preload }) => (preload === undefined ? [] : [{ field: 'preload', effect: 'plugin' }]))
    : dotenv(path)

/** @param {string} path @param {RegExp} names @param {(file: string) => Read} read @returns {Read} */
export const folderOf = (path, names, read) => ({
  path,
  problems: (folder) =>
    filesIn(folder)
      .filter((name) => names.test(name))
      .flatMap((name) => {
        const file = join(folder, name)
        return read(file)
          .problems(file)
          .map(({ field, effect }) => ({ field: `${name}${field === '' ? '' : ` ${field}`}`, effect }))
      }),
})

const filesOfFolderMax = 5_000

/** The files below a folder, by their path in it. @param {string} folder @returns {string[]} */
const filesIn = (folder) =>
  statSync(folder).isDirectory()
    ? readdirSync(folder, { recursive: true, encoding: 'utf8' })
        .slice(0, filesOfFolderMax)
        .filter((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.isFile())
    : []

/** Pages for agents, which can have hooks in their heads. @param {string} path @returns {Read} */
export const pagesOf = (path) =>
  folderOf(path, /\.md$/, (file) => ({
    path: file,
    problems: (page) =>
      judged(page, headOf, (head) => (hooksKey.test(head.text) ? [{ field: 'hooks', effect: 'hooks' }] : [])),
  }))

/** @param {string} text */
const headOf = (text) => ({
  text: /^\uFEFF?---[ \t]*\r?\n/.test(text) ? (text.split(/\r?\n---/, 1)[0] ?? '') : '',
})
/** Or a name with an escape, which may be any. */
export const hooksKey = /(^|[{,])[ \t]*(["']?hooks["']?|"[^"\n\\]*\\[^"\n]*")[ \t]*:/m

/** @param {string} folder */
export const workspacesIn = (folder) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.code-workspace'))
    .map((name) => join(folder, name))

/**
 * @template Document
 * @param {string} file
 * @param {(text: string) => Document} parse
 * @param {(document: any) => Problem[]} judge
 * @returns {Problem[]}
 */
export function judged(file, parse, judge) {
  try {
    const stat = statSync(file)
    // A link may lead to a device that never ends.
    if (!stat.isFile() || stat.size > bytesMax) return [{ field: '', effect: 'unreadable' }]
    const document = parse(readFileSync(file, 'utf8'))
    return typeof document === 'object' && document !== null ? judge(document) : []
  } catch {
    return [{ field: '', effect: 'unreadable' }]
  }
}

/** @param {string} file @returns {Problem[]} */
export const pluginProblems = (file) =>
  judged(
    file,
    (text) => ({ isOurs: text === pluginOf(shared) }),
    ({ isOurs }) => (isOurs ? [] : [{ field: '', effect: 'plugin' }]),
  )
