import { spawnSync } from 'node:child_process'
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { describe, expect, test } from '@jest/globals'
import { devRooms, modules, rooms, standInsLoader } from '../rooms.js'
import { projectRoot } from '../src/process/root.ts'

const imports = 'eslint(no-restricted-imports)'
const properties = 'eslint(no-restricted-properties)'

/** One trespass for each kind of rule, and below it the same code where it is at home. */
const planted: [file: string, code: string, rules: string[]][] = [
  // A room into another, at each depth, and as a late import.
  ['src/text/a.ts', `import type { A } from '../db/a.ts'`, [imports]],
  ['src/text/in/a.ts', `import type { A } from '../../db/a.ts'`, [imports]],
  ['src/text/in/deeper/a.ts', `import type { A } from '../../../db/a.ts'`, [imports]],
  ['src/operations/late.ts', `export const late = () => import('../console/a.ts')`, [imports]],
  ['src/ledger/a.ts', `import type { A } from '../db/a.ts'`, []],
  // Inside a room with floors: a folder or a file into one that does not stand below it.
  ['src/operations/consent/a.ts', `import type { A } from '../proposals/a.ts'`, [imports]],
  ['src/operations/consent/b.ts', `import { a } from '../registry.ts'`, [imports]],
  ['src/operations/decisions/a.ts', `import type { A } from '../proposals/a.ts'`, [imports]],
  ['src/operations/parse.ts', `import type { A } from './members/a.ts'`, [imports]],
  ['src/operations/decisions/b.ts', `import type { A } from '../consent/a.ts'`, []],
  ['src/operations/decisions/c.ts', `import type { A } from './proposals.ts'`, []],
  // A room into what is outside src.
  ['src/db/a.ts', `import type { A } from '../../activities/a.ts'`, [imports]],
  ['src/workers/a.ts', `import type { A } from '../../activities/a.ts'`, []],
  // A package, or a part of it.
  ['src/operations/package.ts', `import postgres from 'postgres'`, [imports]],
  ['activities/part.ts', `import type { A } from '@temporalio/client/lib/connection.js'`, [imports]],
  ['src/db/package.ts', `import postgres from 'postgres'`, []],
  ['src/transports/a.ts', `import { A } from '@modelcontextprotocol/sdk/server/mcp.js'`, [imports]],
  ['src/transports/mcp/a.ts', `import { A } from '@modelcontextprotocol/sdk/server/mcp.js'`, []],
  // A process into what production has no use for.
  ['src/api.ts', `import { a } from '../dev/sandbox/a.ts'`, [imports]],
  ['src/providers/dev.ts', `export const late = () => import('../../dev/sandbox/a.ts')`, [imports]],
  // One of the two.
  ['src/worker.ts', `import '../dev/sandbox/a.ts'\nimport '../dev/embedded/a.ts'`, [imports]],
  // Code that helps to develop.
  ['dev/sandbox/in/a.ts', `import type { A } from '../../../src/console/a.ts'`, [imports]],
  ['dev/sandbox/b.ts', `import type { B } from '../embedded/b.ts'`, [imports]],
  ['dev/embedded/a.ts', `import { a } from '../../src/db/a.ts'`, []],
  ['dev/start.ts', `import { a } from './embedded/a.ts'`, []],
  // A decision.
  ['src/gate/built-in.ts', `import type { Hash } from 'node:crypto'`, [imports]],
  ['src/gate/runner-calls/command/deep.ts', `import { rank } from '../../tier.ts'`, []],
  ['src/gate/runner-calls/outside.ts', `import { limits } from '../../limits.ts'`, [imports]],
  ['src/gate/clock.ts', `export const now = Date.now()`, [properties]],
  ['src/gate/global.ts', `export const at = performance.timeOrigin`, ['eslint(no-restricted-globals)']],
  ['src/gate/a.ts', `import { rank } from './tier.ts'`, []],
  // A workflow, and an activity.
  ['workflows/decision.ts', `import { reaches } from '../src/gate/tier.ts'`, [imports]],
  ['workflows/a.ts', `import { limits } from '../src/temporal/workflow-limits.ts'`, []],
  ['activities/a.ts', `import { a } from '../src/console/a.ts'`, [imports]],
  ['activities/b.ts', `import { a } from '../src/operations/a.ts'`, []],
  // Any file.
  ['src/operations/env.ts', `export const level = process.env.LEVEL`, ['node(no-process-env)']],
  ['src/config.ts', `export const level = process.env.LEVEL`, []],
  ['src/db/begin.ts', `export const two = (sql: any) => sql.begin(() => [])`, [properties]],
  ['src/db/reserve.ts', `export const kept = ({ reserve }: any) => reserve`, [properties]],
  ['test/a.ts', `import { type A } from './a.ts'`, ['typescript(no-import-type-side-effects)']],
]

test('lint rejects a trespass of each kind, and the same code nowhere that it is at home', () => {
  const layout = mkdtempSync(join(tmpdir(), 'gate-walls-'))
  try {
    for (const file of ['oxlint.config.js', 'rooms.js', 'package.json'])
      copyFileSync(join(projectRoot, file), join(layout, file))
    for (const [file, code] of planted) {
      mkdirSync(dirname(join(layout, file)), { recursive: true })
      writeFileSync(join(layout, file), `${code}\n`)
    }
    const found = lint(layout)
    const wallRules = new Set(planted.flatMap(([, , rules]) => rules))
    const brokenBy = (file: string) =>
      found.filter(({ code, filename }) => filename === file && wallRules.has(code)).map(({ code }) => code)
    expect(planted.map(([file]) => [file, brokenBy(file)])).toEqual(
      planted.map(([file, , rules]) => [file, rules]),
    )
  } finally {
    rmSync(layout, { recursive: true, force: true })
  }
})

test('no source goes around a wall in a way that lint cannot see', () => {
  const sources = ['src', 'workflows', 'activities', 'dev', 'bin'].flatMap(filesUnder)
  const hidden: [what: RegExp, home: RegExp][] = [
    [/\bsql`/, /^src\/db\//],
    [
      /\benv\b[^}\n]*\} = (globalThis\.)?process\b|from '(node:)?process'/,
      /^(src\/config\.ts$|dev\/embedded\/)/,
    ],
    [/\bDate\(\)/, /^(?!src\/gate\/)/],
  ]
  for (const [what, home] of hidden) {
    const isThere = (file: string) => what.test(readFileSync(join(projectRoot, file), 'utf8'))
    expect(sources.filter((file) => !home.test(file) && isThere(file))).toEqual([])
  }
})

describe('the table of rooms', () => {
  const names = Object.keys(rooms)
  const importsOf = (room: string): string[] => rooms[room]!.imports
  const leadsTo = (name: string) => new RegExp(`(from|import\\() ?'\\.[./]*/(src/|dev/)?${name}(/|\\.ts')`)

  test('lists every folder of src and dev, and every file of src', () => {
    const entries = readdirSync(join(projectRoot, 'src'), { withFileTypes: true })
    const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    expect(names.toSorted()).toEqual(folders.toSorted())
    const inDev = readdirSync(join(projectRoot, 'dev'), { withFileTypes: true })
    const devFolders = inDev.filter((entry) => entry.isDirectory()).map(({ name }) => name)
    // `temporal` is a module of Go.
    expect([...Object.keys(devRooms), 'temporal'].toSorted()).toEqual(devFolders.toSorted())
    const files = entries.filter(({ name }) => name.endsWith('.ts')).map(({ name }) => name.slice(0, -3))
    expect(modules.toSorted()).toEqual(files.toSorted())
    for (const [name, { floors }] of Object.entries(rooms)) {
      if (!floors) continue
      const inside = readdirSync(join(projectRoot, 'src', name)).map((entry) => entry.replace(/\.ts$/, ''))
      expect(floors.flat().toSorted()).toEqual(inside.toSorted())
    }
  })

  test('has no circle: a room imports only rooms that stand before it', () => {
    const climbing = names.flatMap((name, at) =>
      importsOf(name).filter((other) => names.includes(other) && names.indexOf(other) >= at),
    )
    expect(climbing).toEqual([])
  })

  test('allows nothing that nobody uses', () => {
    const folders = { src: rooms, dev: devRooms }
    const idle = Object.entries(folders).flatMap(([folder, table]) =>
      Object.entries(table).flatMap(([name, { imports }]) => {
        const code = filesUnder(`${folder}/${name}`).map((file) =>
          readFileSync(join(projectRoot, file), 'utf8'),
        )
        const isUsed = (other: string) => code.some((text) => leadsTo(other).test(text))
        return imports.filter((other) => !isUsed(other)).map((other) => `${folder}/${name} -> ${other}`)
      }),
    )
    expect(idle).toEqual([])
    expect(readFileSync(join(projectRoot, standInsLoader), 'utf8')).toMatch(leadsTo('sandbox'))
  })

  test('has folders of at most 25 files', () => {
    const counts = new Map<string, number>()
    for (const file of ['src', 'workflows', 'activities', 'dev'].flatMap(filesUnder))
      counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > 25)).toEqual([])
  })
})

function lint(folder: string): { code: string; filename: string }[] {
  const program = join(projectRoot, 'node_modules/oxlint/bin/oxlint')
  const args = [program, '--config', 'oxlint.config.js', '--format', 'json']
  const { stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  if (!stdout.startsWith('{')) throw new Error(`oxlint did not run: ${stdout}${stderr}`)
  return JSON.parse(stdout).diagnostics
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|js)$/.test(file))
    .map((file) => `${folder}/${file}`)
}
