import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from '@jest/globals'
import { readConfig } from '../../src/config.ts'
import { ensureSecretsKeys, readSecretsKeys } from '../../src/data-dir/secrets-file.ts'
import { keyRingFault, newKeyRing, parseKeyRing } from '../../src/secrets/key-ring.ts'
import { testRows } from '../support/rows.ts'

const folder = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'secrets-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const key = (fill: number, bytes = 32) => Buffer.alloc(bytes, fill).toString('base64')

test('the first key writes', async () => {
  expect(parseKeyRing(`k2:${key(2)}, k1:${key(1)}`).kid).toBe('k2')
  expect(parseKeyRing(`k1:${key(1).replace('=', '')}`).kid).toBe('k1')
  expect(keyRingFault(newKeyRing())).toBeUndefined()
})

testRows([
  ['no name', key(7)],
  ['an empty name', `:${key(7)}`],
  ['a name with a separator in it', `k|1:${key(7)}`],
  ['a short key', `k1:${key(7, 31)}`],
  ['a long key', `k1:${key(7, 33)}`],
  ['no key', 'k1:'],
  ['what is not base64', `k1:${'*'.repeat(44)}`],
  ['one name twice', `k1:${key(7)},k1:${key(8)}`],
  ['an empty entry', `k1:${key(7)},`],
  ['too many keys', Array.from({ length: 11 }, (_, n) => `k${n}:${key(n)}`).join()],
])('a malformed ring stops the start with the variable named and no value told', (_, ring) => {
  const start = () => readConfig({ SECRETS_KEYS: ring })
  expect(start).toThrow(/^The environment is not valid: SECRETS_KEYS must /)
  for (const part of ring.split(/[,:]/).filter((p) => p.length > 20)) {
    try {
      start()
    } catch (error) {
      expect(String(error)).not.toContain(part)
    }
  }
})

test('an embedded start makes one ring for its DATA_DIR, for this user alone, and finds it again', () => {
  expect(readSecretsKeys(folder)).toBeUndefined()
  const ring = ensureSecretsKeys(folder)
  expect(keyRingFault(ring)).toBeUndefined()
  expect(statSync(join(folder, 'secrets.json')).mode & 0o777).toBe(0o600)
  expect([ensureSecretsKeys(folder), readSecretsKeys(folder)]).toEqual([ring, ring])
})

test('a damaged ring is not replaced: what it sealed could never be opened again', () => {
  writeFileSync(join(folder, 'secrets.json'), '{')
  expect(() => ensureSecretsKeys(folder)).toThrow(/secrets\.json is damaged/)
})
