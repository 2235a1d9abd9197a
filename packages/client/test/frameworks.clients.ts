import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { cpSync, existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { projectRoot } from '../../../src/process/root.ts'
import { blocksOf, readPage } from '../../../test/docs/markdown.ts'
import { finish, platform } from '../../../test/support/installed.ts'
import { startMembers } from '../../../test/support/members-by-http.ts'
import { useGate } from '../../../test/support/use-gate.ts'
import { clientPackages, folderWith, langchainPackages } from './framework-folder.ts'

// The adapters with the packages of the frameworks themselves, against a real gate: only the model is a stand-in.

const gate = useGate()
const source = join(projectRoot, 'packages/client')

/** Each set of packages, and the programs that run with it. Node 22 is that of a package, whatever runs the tests. */
const runs = [
  {
    packages: langchainPackages,
    programs: ['langchain', 'langgraph'],
  },
  { packages: ['@openai/agents@0.20.0', ...clientPackages], programs: ['openai-agents'] },
  { packages: ['ai@6.0.326', ...clientPackages], programs: ['ai-sdk'] },
  { packages: ['ai@7.0.173', `node-${platform}@22.23.5`, ...clientPackages], programs: ['ai-sdk'] },
].map((run) => ({ ...run, name: run.packages[0]! }))

/** How often Grace was asked. */
let times = 0
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

  test.each(programs)('the program of the page for %s does what it says', async (program) => {
    const programs = blocksOf(readPage('docs/frameworks.md')).filter(
      ({ info, text }) => info === 'js' && text.includes(`qualification-gate-client/${program}'`),
    )
    expect(programs).toHaveLength(1)
    const file = join(folder, 'page.mjs')
    writeFileSync(file, programs[0]!.text)
    const email = 'grace@example.com'
    const { url, key } = await members.account({ email })
    times += 1
    const [said] = await Promise.all([
      finish(node, [file], { ...process.env, GATE: url, KEY: key }, folder),
      members.decide({ email, times }),
    ])
    expect(said).toMatch(program === 'langchain' ? /"status":"executed"/ : /That is all\.\n$/)
    const { actions } = (await (
      await fetch(`${url}/api/v1/actions?kind=broadcast`, { headers: { authorization: `Bearer ${key}` } })
    ).json()) as { actions: unknown[] }
    expect(actions).toMatchObject([{ status: 'executed', consent: { by: email } }])
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
