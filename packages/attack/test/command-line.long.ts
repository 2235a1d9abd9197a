import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { attacks, requirements } from '../lib/index.js'
import { type WeakGate, keys, startWeakGate } from './weak-gate.ts'

const program = fileURLToPath(new URL('../bin/qualification-gate-attack.js', import.meta.url))
let gate: WeakGate
let folder: string
beforeAll(async () => {
  gate = await startWeakGate()
  folder = mkdtempSync(join(tmpdir(), 'attack-'))
})
afterAll(async () => {
  await gate.close()
  rmSync(folder, { recursive: true, force: true })
})

function run(...argv: string[]): Promise<{ code: number | null; stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [program, ...argv], { env: {} })
    let stdout = ''
    let stderr = ''
    child.stdout.on('data', (data) => (stdout += data))
    child.stderr.on('data', (data) => (stderr += data))
    child.on('close', (code) => resolve({ code, stdout, stderr }))
  })
}
const at = (...more: string[]) =>
  run(
    '--url',
    gate.url,
    '--key',
    keys.own,
    '--transport',
    'rest',
    '--member',
    'ada.skip@example.com',
    ...more,
  )
const few = ['--only', 'replay-cancel,consent-other-cancels,key-revoked,injection-origin']

test('exits with 0 where nothing failed, and says what each attack lacks', async () => {
  const { code, stdout } = await at(...few)
  expect(stdout).toMatch(/^passed {2}rest {2}replay-cancel/m)
  expect(stdout).toMatch(/^n\/a {5}rest {2}key-revoked .*needs a revoked key \(--revoked-key\)$/m)
  expect(stdout).toMatch(/^n\/a {5}rest {2}injection-origin .*not of rest$/m)
  expect(stdout).not.toContain(keys.own)
  expect(code).toBe(0)
})

test('exits with 1 where one failed, and shows the requirement and the evidence, without the key', async () => {
  gate.flaws.add('cancelled-cancels')
  const { code, stdout } = await at(...few)
  gate.flaws.clear()
  expect(stdout).toMatch(/^FAILED {2}rest {2}replay-cancel/m)
  expect(stdout).toContain('requirement  ADR-0030-4')
  expect(stdout).toMatch(/POST \/api\/v1\/actions\/\d+\/cancel/)
  expect(stdout).not.toContain(keys.own)
  expect(code).toBe(1)
})

test('writes the run as JSON and as SARIF', async () => {
  const [json, sarif] = [join(folder, 'run.json'), join(folder, 'run.sarif')]
  await at(...few, '--json', json, '--sarif', sarif)
  expect(JSON.parse(readFileSync(json, 'utf8'))).toMatchObject({ passed: 1, failed: 0, left_open: [] })
  expect(JSON.parse(readFileSync(sarif, 'utf8'))).toMatchObject({ version: '2.1.0' })
  const { stdout } = await at(...few, '--json', '-')
  expect(JSON.parse(stdout).results).toHaveLength(4)
})

test('the answer of a hostile gate reaches a terminal only as escapes', async () => {
  // A title, a colour by the one character of C1, a turned direction, an invisible character beyond 16 bits, DEL.
  const paint = '\u001b]0;x\u0007\u009b31m\u202e\u2066\u{e0041}\u007f'
  const hostile = createServer((_request, response) => {
    response.writeHead(500)
    response.end(`${paint}\n${JSON.stringify({ error: paint, code: paint })}`)
  })
  await once(hostile.listen(0, '127.0.0.1'), 'listening')
  const url = `http://127.0.0.1:${(hostile.address() as AddressInfo).port}`
  const args = ['--url', url, '--key', keys.own, '--member', 'ada@example.com', ...few]
  const [text, json] = [await run(...args), await run(...args, '--json', '-')]
  hostile.close()
  expect(text.stdout).toContain(String.raw`\u{1b}]0;x\u{7}\u{9b}31m\u{202e}\u{2066}\u{e0041}\u{7f}`)
  for (const { stdout, stderr } of [text, json]) expect(stdout + stderr).toMatch(/^[\P{C}\n]+$/u)
  const kept = JSON.parse(json.stdout).results.flatMap((result: any) => result.evidence)
  expect(kept).toContainEqual(expect.objectContaining({ answer: expect.stringContaining(paint) }))
})

test('finds the members that it was not told, among those of the newest actions', async () => {
  await at('--only', 'replay-cancel')
  const { stdout } = await run(
    '--url',
    gate.url,
    '--key',
    keys.own,
    '--transport',
    'rest',
    '--only',
    'replay-cancel',
  )
  expect(stdout).toMatch(/^passed/m)
})

test('is refused with how to use it: without an address or a key, with an unknown attack or transport', async () => {
  for (const wrong of [[], ['--url', gate.url], ['--url', 'x', '--key', 'k'], ['--nothing']])
    expect(await run(...wrong)).toMatchObject({ code: 2, stderr: expect.stringContaining('Usage:') })
  expect(await at('--only', 'nothing')).toMatchObject({ code: 2 })
  expect(await run('--url', gate.url, '--key', 'k', '--transport', 'smoke')).toMatchObject({ code: 2 })
})

test('a gate that does not answer passes nothing that it did not refuse', async () => {
  const dead = [
    '--url',
    'http://127.0.0.1:9',
    '--key',
    keys.own,
    '--member',
    'a@b.c',
    '--other-member',
    'd@e.f',
  ]
  const { code, stdout } = await run(...dead, '--low-member', 'g@h.i')
  expect(stdout).not.toMatch(/^passed/m)
  expect(code).toBe(1)
})

test('there are sixty-nine attacks, each with a name of its own and requirements that are known', async () => {
  const { stdout } = await run('--list')
  expect(stdout.match(/^ {2}tests /gm)).toHaveLength(69)
  expect(new Set(attacks.map(({ id }) => id)).size).toBe(69)
  for (const { id, requirements: names } of attacks) {
    expect(names.length).toBeGreaterThan(0)
    for (const name of names) expect([id, name, requirements[name]]).toEqual([id, name, expect.anything()])
  }
  const tested = new Set(attacks.flatMap(({ requirements: names }) => names))
  expect(Object.keys(requirements).filter((name) => !tested.has(name))).toEqual([])
})
