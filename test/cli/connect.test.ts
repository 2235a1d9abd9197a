import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { claimRunFile } from '../../src/data-dir/run-file.ts'
import { agentClientIds, agentClients } from '../../src/keys/agent-clients.ts'
import { mintKey } from '../../src/keys/api-key.ts'
import { gateOn } from './gate-command.ts'

// Nobody listens there: the lines need no database.
const env = { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none', PUBLIC_URL: 'https://gate.example/' }
const gate = gateOn({ ...env, OAUTH_URL: 'https://agents.example' })

test('`gate connect` prints the lines of a client with the address of the gate and the key', async () => {
  const key = mintKey()
  const place = { url: 'https://gate.example', key, hostedUrl: 'https://agents.example/mcp' }
  for (const id of agentClientIds) {
    const { name, lines, check } = agentClients[id]
    const answer = await gate('connect', id, '--key', key, '--json')
    expect([answer.code, answer.stderr, answer.json]).toEqual([0, '', { name, lines: lines(place), check }])
    const { stdout } = await gate('connect', id, '--key', key)
    for (const { text } of lines(place)) expect(stdout).toContain(text)
  }
  expect((await gate('connect', 'claude-code')).stdout).toContain('Bearer YOUR_KEY')
})

test('it refuses a client that it does not know, a key that was not copied whole, and one that needs OAUTH_URL', async () => {
  const { code, stderr } = await gate('connect', 'clippy')
  expect([code, stderr]).toEqual([2, expect.stringContaining('must be one of claude-code, codex')])
  const broken = await gate('connect', 'codex', '--key', mintKey().slice(0, -1))
  expect([broken.code, broken.stderr]).toEqual([2, expect.stringContaining('--key must be an API key')])
  const hosted = await gateOn(env)('connect', 'chatgpt')
  expect([hosted.code, hosted.stderr]).toEqual([1, expect.stringContaining('OAUTH_URL')])
})

test('the address for hosted agents is that of the service that is running, where the shell has no OAUTH_URL', async () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'connect-'))
  const claim = await claimRunFile(dataDir, () => {})
  claim.record({ addresses: { base_url: 'http://127.0.0.1:1', hosted_url: 'https://agents.example/mcp' } })
  const { stdout } = await gateOn({ DATA_DIR: dataDir })('connect', 'chatgpt')
  claim.release()
  rmSync(dataDir, { recursive: true })
  expect(stdout).toContain('https://agents.example/mcp')
})
