import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals'
import { type Runner, install } from '../lib/index.js'
import { type FakeGate, startFakeGate } from './fake-gate.ts'
import { type Machine, newMachine } from './machine.ts'

let gate: FakeGate
let machine: Machine
beforeAll(async () => {
  gate = await startFakeGate()
})
afterAll(() => gate.close())
beforeEach(() => {
  machine = newMachine()
})
afterEach(() => machine.remove())

/**
 * A stand-in for Claude Code and Codex, which speaks with their models. It obeys a hook if `hooks` says so, and may know the tool
 * under another name.
 */
const program = ({
  version,
  obeys,
  tool,
}: {
  version: string
  obeys: boolean
  tool: string
}) => `#!${process.execPath}
const { execSync } = require('node:child_process')
const args = process.argv.slice(2)
if (args[0] === '--version') {
  console.log('${version}')
  process.exit()
}
const isClaude = args.includes('-p')
const text = args.join(' ')
const url = isClaude ? process.env.ANTHROPIC_BASE_URL + '/v1/messages' : /base_url="([^"]+)"/.exec(text)[1] + '/responses'
const hasHooks = ${obeys} && !/"disableAllHooks":true|features.hooks=false/.test(text)
const ask = async (more) => (await fetch(url, { method: 'POST', body: JSON.stringify({ model: 'm', tools: [{ name: '${tool}' }], ...more }) })).text()
ask({}).then(async (answer) => {
  const command = /touch '[^']+'/.exec(answer)
  if (!command) return
  if (!hasHooks) execSync(command[0])
  await ask({ messages: [{ type: isClaude ? 'tool_result' : 'function_call_output' }] })
})
`

const live = async (runner: Runner, obeys: boolean, tool: string) => {
  const version = runner === 'claude' ? '2.1.330' : '0.169.0'
  const binary = machine.write(`../programs/${runner}`, program({ version, obeys, tool }), 0o755)
  const { findings } = await install({
    ...machine.options(runner, gate.url),
    binary,
    isLive: true,
    hasCanary: true,
  })
  return findings.find(({ check }) => check === 'live')
}

const named = [
  ['claude', 'Bash'],
  ['codex', 'exec_command'],
] as const

test.each(named)('a %s that obeys its hook blocks', async (runner, tool) => {
  expect(await live(runner, true, tool)).toMatchObject({ verdict: 'blocks' })
})

test.each(named)('a %s that does not obey its hook fails', async (runner, tool) => {
  expect(await live(runner, false, tool)).toMatchObject({
    verdict: 'fails',
    detail: expect.stringMatching(/ran a command/),
  })
})

test.each(['claude', 'codex'] as const)('a %s that calls no tool fails: nothing was seen', async (runner) => {
  expect(await live(runner, true, 'Other')).toMatchObject({
    verdict: 'fails',
    detail: expect.stringMatching(/nothing was seen/),
  })
})

test('other runners cannot be driven', async () => {
  const { findings } = await install({
    ...machine.options('gemini', gate.url),
    isLive: true,
    hasCanary: true,
  })
  expect(findings).toContainEqual(expect.objectContaining({ check: 'live', verdict: 'note' }))
})
