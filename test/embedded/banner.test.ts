import { expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { banner } from '../../dev/embedded/banner.ts'
import type { DemoFile } from '../../dev/embedded/seed.ts'

const key = `qgk_${'a'.repeat(38)}`
const demo = {
  api_key: key,
  account_id: 'acct_1',
  members: [{ email: 'ada@example.com', tier: 'write' }],
} as unknown as DemoFile
const printed = (isTerminal: boolean, demoFile = '/data/demo.json') =>
  banner({
    addresses: { base_url: 'http://127.0.0.1:8787', console_url: 'http://127.0.0.1:8787/console' },
    demo,
    demoFile,
    isTerminal,
    temporalSource: 'test',
  })

test('the banner has the key of the demo on a terminal, and elsewhere the file that has it', () => {
  expect(printed(true)).toContain(`  KEY=${key}\n`)
  expect(printed(false)).not.toContain(key)
  expect(printed(false)).toContain('/data/demo.json')
})

test('the line that takes the key from its file works as it is pasted, whatever the folder is called', () => {
  const file = join(mkdtempSync(join(tmpdir(), "it's a $folder ")), 'demo.json')
  writeFileSync(file, JSON.stringify(demo))
  const line = printed(false, file)
    .split('\n')
    .find((one) => one.trimStart().startsWith('KEY='))!
  const done = spawnSync('bash', ['-c', `${line}\necho "$KEY"`], { encoding: 'utf8' })
  expect([done.stdout, done.stderr]).toEqual([`${key}\n`, ''])
})

test('the lines to paste take the number of the action from its answer: at a second start it is another', () => {
  const lines = printed(true).split('\n')
  const from = lines.findIndex((line) => line.trimStart().startsWith('PROPOSAL='))
  const taking = lines.slice(from, from + 3).join('\n')
  const curl = `curl() { echo '{"id":41,"status":"proposed"}'; }`
  const done = spawnSync('bash', ['-c', `${curl}\n${taking}\necho "$ID"`], { encoding: 'utf8' })
  expect([done.stdout, done.stderr]).toEqual(['{"id":41,"status":"proposed"}\n41\n', ''])
})
