import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
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
import { modules, processes, rooms } from '../rooms.js'
import { projectRoot } from '../src/root.ts'
import { trespasses } from './support/trespasses.ts'

const imports = 'eslint(no-restricted-imports)'
const properties = 'eslint(no-restricted-properties)'
const environment = 'node(no-process-env)'

/** One row per wall: what may not stand in `forbidden`, and the room where the same code is at home. */
const walls: { wall: string; code: string; rule: string; forbidden: string[]; allowed: string[] }[] = [
  {
    wall: 'PostgreSQL is reached from src/db',
    code: `import postgres from 'postgres'`,
    rule: imports,
    forbidden: [
      'src/operations',
      'src/transports',
      'src/providers',
      'src/temporal',
      'activities',
      'src/gate',
      'workflows',
    ],
    allowed: ['src/db', 'src/db/queries', 'src/embedded', 'test/support', 'bench'],
  },
  {
    wall: 'the Slack SDK stays in src/providers',
    code: `import { WebClient } from '@slack/web-api'`,
    rule: imports,
    forbidden: [
      'src/operations',
      'src/actions/broadcast',
      'src/db',
      'src/embedded',
      'src/transports',
      'activities',
    ],
    allowed: ['src/providers', 'test/providers'],
  },
  {
    wall: 'the Resend SDK stays in src/providers',
    code: `import { Resend } from 'resend'`,
    rule: imports,
    forbidden: ['src/operations', 'src/actions/broadcast', 'src/temporal', 'activities'],
    allowed: ['src/providers', 'test/providers'],
  },
  {
    wall: 'the Stripe SDK stays in src/providers',
    code: `import Stripe from 'stripe'`,
    rule: imports,
    forbidden: ['src/operations', 'src/actions/refund', 'src/console', 'activities'],
    allowed: ['src/providers', 'test/providers'],
  },
  {
    wall: "Temporal's client stays in src/temporal and src/embedded",
    code: `import { Client } from '@temporalio/client'`,
    rule: imports,
    forbidden: ['src', 'src/operations', 'src/transports', 'src/db', 'src/providers', 'activities'],
    allowed: ['src/temporal', 'src/embedded', 'test', 'bench'],
  },
  {
    wall: "Temporal's worker stays in src/workers and src/temporal",
    code: `import { Worker } from '@temporalio/worker'`,
    rule: imports,
    forbidden: ['src', 'src/operations', 'src/embedded', 'src/transports', 'activities'],
    allowed: ['src/workers', 'src/temporal', 'test'],
  },
  {
    wall: 'workflow code stays in workflows',
    code: `import { condition } from '@temporalio/workflow'`,
    rule: imports,
    forbidden: ['src', 'src/temporal', 'src/operations', 'activities'],
    allowed: ['workflows'],
  },
  {
    wall: 'the MCP SDK stays in src/transports/mcp.ts, src/transports/mcp and src/upstreams',
    code: `import { McpServer } from '@modelcontextprotocol/sdk/server/mcp.js'`,
    rule: imports,
    forbidden: ['src', 'src/transports', 'src/operations', 'src/console', 'activities'],
    allowed: ['src/transports/mcp.ts', 'src/transports/mcp', 'src/upstreams', 'test/transports'],
  },
  {
    wall: 'src/gate does not import another room',
    code: `import { limits } from '../limits.ts'`,
    rule: imports,
    forbidden: ['src/gate'],
    allowed: ['src/operations'],
  },
  {
    wall: 'src/gate does not import a built-in module, not even as a type',
    code: `import type { Hash } from 'node:crypto'`,
    rule: imports,
    forbidden: ['src/gate'],
    allowed: ['src/ledger'],
  },
  {
    wall: 'src/gate does not import a package',
    code: `export { z } from 'zod'`,
    rule: imports,
    forbidden: ['src/gate'],
    allowed: ['src/operations'],
  },
  {
    wall: 'src/gate reads no clock',
    code: `export const now = Date.now()`,
    rule: properties,
    forbidden: ['src/gate'],
    allowed: ['src/operations'],
  },
  {
    wall: 'transports and console do not reach around the operations into src/db',
    code: `import type { Db } from '../db/connect.ts'`,
    rule: imports,
    forbidden: ['src/transports', 'src/console'],
    allowed: ['src/operations'],
  },
  {
    wall: 'nor do the files that may use the MCP SDK',
    code: `import type { Db } from '../../db/connect.ts'`,
    rule: imports,
    forbidden: ['src/transports/mcp'],
    allowed: ['src/operations/proposals'],
  },
  {
    wall: 'workflows do not import a decision',
    code: `import { reaches } from '../src/gate/tier.ts'`,
    rule: imports,
    forbidden: ['workflows'],
    allowed: ['activities'],
  },
  {
    wall: 'workflows have their bounds from workflow-limits.ts, not from those of the service',
    code: `import { limits } from '../src/limits.ts'`,
    rule: imports,
    forbidden: ['workflows'],
    allowed: ['activities'],
  },
  {
    wall: 'workflows do not import a built-in module',
    code: `import { createHash } from 'node:crypto'`,
    rule: imports,
    forbidden: ['workflows'],
    allowed: ['activities'],
  },
  {
    wall: 'an import of types alone leaves no import at run time',
    code: `import { type Activities } from './activities.ts'`,
    rule: 'typescript(no-import-type-side-effects)',
    forbidden: ['workflows', 'activities', 'src', 'src/operations', 'test'],
    allowed: [],
  },
  {
    wall: 'production imports neither the embedded servers nor the stand-ins',
    code: `import { anything } from './embedded/anything.ts'\nexport * from './sandbox/sandbox.ts'`,
    rule: imports,
    forbidden: ['src', 'src/api.ts'],
    allowed: ['src/whole-service.ts'],
  },
  {
    wall: 'the environment is read in src/config.ts',
    code: `export const level = process.env.LOG_LEVEL`,
    rule: environment,
    forbidden: [
      'src',
      'src/operations',
      'src/db',
      'src/providers',
      'src/temporal',
      'activities',
      'workflows',
    ],
    allowed: ['src/config.ts', 'src/embedded', 'test', 'bench'],
  },
  {
    wall: 'there are no transactions around several statements',
    code: `export const two = (sql: any) => sql.begin(() => [])`,
    rule: properties,
    forbidden: ['src/db/queries', 'src/operations', 'src/embedded', 'activities', 'test', 'bench'],
    allowed: [],
  },
  {
    wall: 'no connection is reserved, not even by destructuring',
    code: `export const kept = ({ reserve }: any) => reserve\nexport const more = (sql: any) => sql.reserve()`,
    rule: properties,
    forbidden: ['src/db/queries', 'src/operations', 'test'],
    allowed: [],
  },
  {
    wall: 'a part of a package is the package',
    code: `import type { Connection } from '@temporalio/client/lib/connection.js'`,
    rule: imports,
    forbidden: ['src/operations', 'activities'],
    allowed: ['src/temporal'],
  },
  {
    wall: 'a late import is an import',
    code: `export const late = () => import('postgres')`,
    rule: imports,
    forbidden: ['src/operations', 'src/cli'],
    allowed: ['src/db'],
  },
]

/** What a workflow and a decision may import, since their walls name what is allowed and not what is forbidden. */
const doors = [
  ['workflows', `import { condition } from '@temporalio/workflow'`],
  ['workflows', `import type { Activities } from '../activities/index.ts'`],
  ['workflows', `import { queryName } from '../src/temporal/names.ts'`],
  ['workflows', `import { workflowLimits } from '../src/temporal/workflow-limits.ts'`],
  ['workflows', `import { named } from './named.ts'`],
  ['src/workers', `import { createActivities } from '../../activities/index.ts'`],
  ['src/worker.ts', `export const late = () => import('./sandbox/sandbox.ts')`],
  ['src/gate', `import { rank } from './tier.ts'`],
] as const

/** Every import from a room into another, by the depth of the file that holds it. */
const doorways = Object.keys(rooms).flatMap((from) =>
  Object.keys(rooms)
    .filter((to) => to !== from)
    .flatMap((to) => [1, 2, 3].map((depth) => ({ from, to, depth }))),
)
type Doorway = (typeof doorways)[number]
const doorwayFile = ({ from, to, depth }: Doorway) => `src/${from}/${'deeper/'.repeat(depth - 1)}to-${to}.ts`
const doorwayCode = ({ to, depth }: Doorway) => `import type { It } from '${'../'.repeat(depth)}${to}/it.ts'`
const isOpen = ({ from, to }: Doorway) => importsOf(from).includes(to)
const importsOf = (room: string): string[] => rooms[room]!.imports

type Diagnostic = { code: string; filename: string; severity: string; message: string }

describe('walls kept by lint', () => {
  let layout: string
  let found: Diagnostic[]
  const files = new Map<string, string>()

  // All trespasses into one layout, linted once: each in a file of its own.
  beforeAll(() => {
    layout = mkdtempSync(join(tmpdir(), 'gate-walls-'))
    for (const file of ['oxlint.config.js', 'rooms.js', 'package.json'])
      copyFileSync(join(projectRoot, file), join(layout, file))
    for (const [row, { code, forbidden, allowed }] of walls.entries()) {
      for (const room of [...forbidden, ...allowed]) files.set(fileIn(room, `wall-${row}`), code)
    }
    for (const [row, [room, code]] of doors.entries()) files.set(fileIn(room, `door-${row}`), code)
    for (const doorway of doorways) files.set(doorwayFile(doorway), doorwayCode(doorway))
    for (const [file, code] of contents()) {
      mkdirSync(dirname(join(layout, file)), { recursive: true })
      writeFileSync(join(layout, file), code)
    }
    found = lint(layout)
  })

  afterAll(() => rmSync(layout, { recursive: true, force: true }))

  test.each(walls)('$wall', ({ code, rule, forbidden, allowed }) => {
    const row = walls.findIndex((wall) => wall.code === code)
    const hit = (room: string) => broken(fileIn(room, `wall-${row}`)).includes(rule)
    expect(forbidden.filter((room) => !hit(room))).toEqual([])
    expect(allowed.filter(hit)).toEqual([])
  })

  test.each(doors)('%s may hold: %s', (room, code) => {
    const row = doors.findIndex((door) => door[1] === code && door[0] === room)
    expect(broken(fileIn(room, `door-${row}`))).toEqual([])
  })

  test('each room imports the rooms that the table allows it, and no other, however deep its file lies', () => {
    const isStopped = (doorway: Doorway) => broken(doorwayFile(doorway)).includes(imports)
    expect(doorways.filter((doorway) => isStopped(doorway) === isOpen(doorway))).toEqual([])
  })

  test('nothing in this repository stands beyond a wall', () => {
    const ours = new Set([...walls.map((wall) => wall.rule), 'eslint(no-restricted-globals)'])
    expect(lint(projectRoot).filter((diagnostic) => ours.has(diagnostic.code))).toEqual([])
  })

  // A named file (src/config.ts) may appear in several rows: it then holds the code of all of them.
  function contents(): Map<string, string> {
    const whole = new Map<string, string>()
    for (const [key, code] of files) {
      const file = key.replace(/#.*$/, '')
      whole.set(file, `${whole.get(file) ?? ''}${code}\n`)
    }
    return whole
  }

  function broken(key: string): string[] {
    const file = key.replace(/#.*$/, '')
    const wallRules = new Set(walls.map((wall) => wall.rule))
    return found
      .filter((diagnostic) => diagnostic.filename === file && wallRules.has(diagnostic.code))
      .map((diagnostic) => diagnostic.code)
  }
})

describe('the table of rooms', () => {
  const names = Object.keys(rooms)

  test('lists every folder of src, with what it is for', () => {
    const folders = readdirSync(join(projectRoot, 'src'), { withFileTypes: true })
      .filter((entry) => entry.isDirectory())
      .map((entry) => entry.name)
    expect([...names].sort()).toEqual(folders.sort())
    for (const { is } of Object.values(rooms)) expect(is.length).toBeGreaterThan(20)
  })

  test('lists every file of src that is in no room', () => {
    const files = readdirSync(join(projectRoot, 'src')).filter((file) => file.endsWith('.ts'))
    expect([...modules].sort()).toEqual(files.map((file) => file.slice(0, -'.ts'.length)).sort())
  })

  test('has no circle: a room imports only rooms that stand before it', () => {
    const climbing = names.flatMap((name, at) =>
      importsOf(name).filter((other) => names.includes(other) && names.indexOf(other) >= at),
    )
    expect(climbing).toEqual([])
  })

  test('allows nothing that nobody uses', () => {
    const idle = names.flatMap((name) => {
      const code = filesUnder(`src/${name}`).map((file) => readFileSync(join(projectRoot, file), 'utf8'))
      const isUsed = (other: string) => code.some((text) => leadsTo(other).test(text))
      return importsOf(name)
        .filter((other) => !isUsed(other))
        .map((other) => `${name} -> ${other}`)
    })
    expect(idle).toEqual([])
    for (const [file, allowed] of Object.entries(processes))
      for (const room of allowed) expect(readFileSync(join(projectRoot, file), 'utf8')).toMatch(leadsTo(room))
  })

  test('no folder holds more than 25 files', () => {
    const counts = new Map<string, number>()
    for (const file of ['src', 'workflows', 'activities'].flatMap(filesUnder))
      counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
    expect([...counts].filter(([, count]) => count > 25)).toEqual([])
  })

  const leadsTo = (name: string) => new RegExp(`(from|import\\() ?'\\.[./]*/${name}(/|\\.ts')`)
})

describe('walls kept by reading the sources', () => {
  const sources = ['src', 'workflows', 'activities', 'bin'].flatMap(filesUnder)

  test('SQL is written in src/db alone, but for the role the embedded database is made with', () => {
    expect(sources.length).toBeGreaterThan(20)
    const home = /^src\/(db\/|embedded\/postgres)/
    expect(said('sql', (file) => !home.test(file))).toEqual([])
  })

  test('the environment is read in src/config.ts and src/embedded alone', () => {
    expect(said('environment', (file) => !/^src\/(config\.ts$|embedded\/)/.test(file))).toEqual([])
  })

  test('no decision in src/gate reads the clock', () => {
    expect(said('clock', (file) => file.startsWith('src/gate/'))).toEqual([])
  })

  test.each([
    ['sql', 'const rows = await sql`select id from gate.action`'],
    ['sql', 'await db.run((sql) => sql`where id = ${id}`)'],
    ['sql', "const text = 'select 1'"],
    ['sql', "const text = 'SELECT id FROM action'"],
    ['sql', "const text = '\\n  insert into action (id) values ($1)'"],
    ['sql', 'const text = `update ${table} set tier = 1`'],
    ['sql', "const text = 'delete from action'"],
    ['sql', "const text = 'with latest as (select 1) select * from latest'"],
    ['sql', "const text = 'create role gate_service login'"],
    ['sql', "const text = 'grant select on action to gate_service'"],
    ['environment', 'const level = process.env.LOG_LEVEL'],
    ['environment', "const level = process['env']['LOG_LEVEL']"],
    ['environment', 'const level = globalThis.process.env.LOG_LEVEL'],
    ['environment', 'const { env } = process'],
    ['environment', "import { env } from 'node:process'"],
    ['clock', 'const now = new Date()'],
    ['clock', 'const now = Date()'],
  ])('finds %s in: %s', (what, source) => {
    expect(trespasses(source).map((trespass) => trespass.what)).toContain(what)
  })

  test.each([
    "throw new GateError('not_found', 'Select a member from the roster first.')",
    "const help = 'update the policy, then set it'",
    '// select id from action',
    "import { create } from './create.ts'",
    'const at = new Date(iso)',
    'const pid = process.pid',
  ])('finds nothing in: %s', (source) => {
    expect(trespasses(source)).toEqual([])
  })

  function said(what: string, inRoom: (file: string) => boolean): string[] {
    return sources.filter(inRoom).flatMap((file) =>
      trespasses(readFileSync(join(projectRoot, file), 'utf8'))
        .filter((trespass) => trespass.what === what)
        .map((trespass) => `${file}: ${trespass.text}`),
    )
  }
})

/** A room is a folder, or one file that has a rule of its own; the part after # keeps its rows apart. */
function fileIn(room: string, name: string): string {
  return room.endsWith('.ts') ? `${room}#${name}` : `${room}/${name}.ts`
}

function lint(folder: string): Diagnostic[] {
  const run = spawnSync(
    process.execPath,
    [join(projectRoot, 'node_modules/oxlint/bin/oxlint'), '--config', 'oxlint.config.js', '--format', 'json'],
    { cwd: folder, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 },
  )
  if (!run.stdout.startsWith('{')) throw new Error(`oxlint did not run: ${run.stdout}${run.stderr}`)
  return (JSON.parse(run.stdout) as { diagnostics: Diagnostic[] }).diagnostics
}

function filesUnder(folder: string): string[] {
  return readdirSync(join(projectRoot, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => /\.(ts|js)$/.test(file))
    .map((file) => `${folder}/${file}`)
}
