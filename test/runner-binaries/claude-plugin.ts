import { execFile } from 'node:child_process'
import { cpSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from '@jest/globals'
import { decides, gateKey, startFakeGate } from '../support/fake-gate.ts'
import type { FakeGate, Script } from '../support/fake-gate.ts'
import type { DrivenHome } from '../support/runner-run.ts'
import { installHook, makeHome, run } from '../support/runner-run.ts'

const shipped = fileURLToPath(new URL('../../packages/hook/claude-plugin', import.meta.url))

let home: DrivenHome
let plugin: string
let gate: FakeGate | undefined

beforeEach(async () => {
  home = await makeHome('claude')
  // Alone, as it is installed: what stands beside it in this repository is not read.
  plugin = join(home.home, 'plugin')
  cpSync(shipped, plugin, { recursive: true })
})
afterEach(async () => {
  await gate?.close()
  gate = undefined
  await home.close()
})

/** What `claude plugin validate` says, warnings taken for errors. */
const validated = (): Promise<{ code: number; report: any }> =>
  new Promise((resolve) => {
    const args = ['plugin', 'validate', '--strict', '--json', plugin]
    execFile(home.program, args, { env: home.env, timeout: 60_000 }, (error, stdout) =>
      resolve({ code: error ? Number(error.code) : 0, report: JSON.parse(stdout) }),
    )
  })

/** A gate, and where the plugin finds its address and key: the home folder of the password database, which is here one for tests. */
async function pluginWith(script: Script): Promise<FakeGate> {
  gate = await startFakeGate(script)
  await installHook(home, gate.url)
  const settings = join(home.home, '.claude/settings.json')
  const { hooks: _, ...rest } = JSON.parse(readFileSync(settings, 'utf8'))
  writeFileSync(settings, JSON.stringify(rest))
  const file = join(plugin, 'hooks/hooks.json')
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll('~`id -un`', home.home))
  return gate
}

test('`claude plugin validate` accepts the plugin', async () => {
  const { code, report } = await validated()
  expect(report).toMatchObject({ success: true, manifest: { errors: [], warnings: [] }, contents: [] })
  expect(report.provides.hooks.map(({ event }: { event: string }) => event)).toEqual([
    'PreToolUse',
    'PostToolUse',
    'PostToolUseFailure',
  ])
  expect(code).toBe(0)
})

test('`claude plugin validate` refuses a plugin whose hook would not block, so that it shows something', async () => {
  const file = join(plugin, 'hooks/hooks.json')
  writeFileSync(file, readFileSync(file, 'utf8').replace('"onFailure": "block"', '"onFailure": "blok"'))
  expect(await validated()).toMatchObject({ code: 1, report: { success: false } })
})

test.each(['allow', 'deny'] as const)('with the plugin alone, the gate decides: %s', async (decision) => {
  const { calls } = await pluginWith(decides(decision))
  expect(await run(home, '--plugin-dir', plugin)).toMatchObject({ ran: decision === 'allow' })
  expect(calls[0]).toMatchObject({ path: 'tool-calls', key: gateKey })
})

test('with the plugin alone and no address of a gate, the tool does not run', async () => {
  expect(await run(home, '--plugin-dir', plugin)).toMatchObject({ ran: false })
  expect(home.models.told.at(-1)).toContain('gate: the tool call was not allowed')
})
