import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { cpSync, existsSync, mkdirSync, readdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../src/process/root.ts'
import { finish, installed, npmInstall, platform } from '../../../test/support/installed.ts'
import { startMembers } from '../../../test/support/members-by-http.ts'
import { useGate } from '../../../test/support/use-gate.ts'

// The adapters with the packages of the frameworks themselves, against a real gate: only the model is a stand-in.

const gate = useGate()
const source = join(projectRoot, 'packages/client')
const client = ['openapi-fetch@0.17.0', 'zod@4.6.7']

/** Each set of packages, and the programs that run with it. Node 22 is that of a package, whatever runs the tests. */
const runs = [
  {
    packages: ['@langchain/core@1.4.0', '@langchain/langgraph@1.7.3', 'langchain@1.5.14', ...client],
    programs: ['langchain', 'langgraph'],
  },
  { packages: ['@openai/agents@0.20.0', ...client], programs: ['openai-agents'] },
  { packages: ['ai@6.0.326', ...client], programs: ['ai-sdk'] },
  { packages: ['ai@7.0.173', `node-${platform}@22.23.5`, ...client], programs: ['ai-sdk'] },
].map((run) => ({ ...run, name: run.packages[0]! }))

let members: Awaited<ReturnType<typeof startMembers>>
beforeAll(async () => {
  members = await startMembers(gate)
})
afterAll(() => members.stop())

describe.each(runs)('with $name', ({ name, packages, programs }) => {
  let folder: string
  let node: string
  beforeAll(async () => {
    folder = await folderWith(name, packages)
    const newer = join(folder, `node_modules/node-${platform}/bin/node`)
    node = existsSync(newer) ? newer : process.execPath
  }, 300_000)

  test.each(programs)('the tool of %s proposes once, and does what the gate says', async (program) => {
    const said = await finish(
      node,
      ['--test', '--test-reporter', 'tap', `${program}.mjs`],
      { ...process.env, GATE_MEMBERS: members.url },
      folder,
    )
    const version = await finish(node, ['--version'])
    expect(version).toMatch(name === 'ai@7.0.173' ? /^v22\./ : /^v\d\d\./)
    expect(said).toMatch(/^# pass [3-9]$/m)
    expect(said).toMatch(/^# fail 0$/m)
    expect(said).toMatch(/^# skipped 0$/m)
  })

  test('its types are those of the framework', async () => {
    const files = programs.map((program) => `lib/adapters/${program}`)
    const compilerOptions = {
      strict: true,
      module: 'nodenext',
      target: 'es2023',
      lib: ['es2024', 'dom'],
      noEmit: true,
      exactOptionalPropertyTypes: true,
      allowJs: true,
      checkJs: true,
      skipLibCheck: true,
      types: ['node'],
      typeRoots: [join(projectRoot, 'node_modules/@types')],
    }
    // The sources outside of node_modules, where the compiler looks into files in JavaScript.
    cpSync(join(source, 'lib'), join(folder, 'lib'), { recursive: true })
    writeFileSync(
      join(folder, 'tsconfig.json'),
      JSON.stringify({ compilerOptions, files: files.flatMap((file) => [`${file}.js`, `${file}.d.ts`]) }),
    )
    const compiler = join(projectRoot, 'node_modules/typescript/bin/tsc')
    expect(await finish(process.execPath, [compiler, '-p', folder])).toBe('')
  })
})

/** A folder as after an installation of the client and these packages, with the test programs. */
async function folderWith(name: string, packages: string[]): Promise<string> {
  const cached = `js-${packages.join('-').replaceAll(/[@/]+/g, '-')}`
  const from = await installed(cached, 'node_modules/openapi-fetch/package.json', async (into) => {
    writeFileSync(join(into, 'package.json'), '{"type":"module","private":true}')
    await npmInstall(into, packages)
  })
  const folder = join(projectRoot, 'build/frameworks', name.replaceAll(/[@/]+/g, '-'))
  const modules = join(folder, 'node_modules')
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(join(modules, 'qualification-gate-client'), { recursive: true })
  for (const each of readdirSync(join(from, 'node_modules')).filter((file) => !file.startsWith('.')))
    symlinkSync(join(from, 'node_modules', each), join(modules, each))
  for (const part of ['lib', 'package.json'])
    cpSync(join(source, part), join(modules, 'qualification-gate-client', part), { recursive: true })
  cpSync(join(source, 'test/frameworks'), folder, { recursive: true })
  return folder
}
