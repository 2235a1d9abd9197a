import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'

/**
 * @param root  folder of the project
 * @returns the test files of `npm test`, absolute paths: `unit` those that use no server of the run, `gate` the others
 */
export function filesOf(root) {
  const all = ['test', 'packages']
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter(({ name, parentPath }) => name.endsWith('.test.ts') && !parentPath.includes('node_modules'))
    .map(({ name, parentPath }) => join(parentPath, name))
  return { unit: all.filter((file) => !needsServers(file)), gate: all.filter((file) => needsServers(file)) }
}

/** Finds modules that use the PostgreSQL or the Temporal of the run, which global-setup.ts starts. */
const usesServers =
  /process\.env\['TEST_(?:PG|TEMPORAL)_|needed\('TEST_|\bstartEmbedded(?:Postgres|Temporal)\b/

/** Whether a file, or a module of the tests that it imports, uses a server. Nothing in `src` can: the addresses are in the tests. */
function needsServers(file, seen = new Set()) {
  if (seen.has(file)) return false
  seen.add(file)
  const text = readFileSync(file, 'utf8')
  if (usesServers.test(text)) return true
  return importsOf(file, text).some((path) => isOfTests(path) && needsServers(path, seen))
}

const isOfTests = (path) => path.includes(`${sep}test${sep}`)

/** @returns the files that a module imports by a relative path; not those that it imports types of alone */
export function importsOf(file, text = readFileSync(file, 'utf8')) {
  const code = text.replace(/^(?:import|export) type [^']*'[^']*'/gm, '')
  const paths = [...code.matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map((m) =>
    join(dirname(file), m[1]),
  )
  return [...new Set(paths)].filter((path) => existsSync(path))
}
