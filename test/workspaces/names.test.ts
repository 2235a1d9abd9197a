import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { compareBytes, sortedByBytes } from '../../src/workspaces/byte-order.ts'
import { pathParts } from '../../src/workspaces/file-path.ts'
import { isHiddenName } from '../../src/workspaces/hidden.ts'
import { isoTime } from '../../src/operations/workspaces/list-workspace-files.ts'
import { testRows } from '../support/rows.ts'

describe('the order of paths', () => {
  const name = fc.string({ unit: 'grapheme', maxLength: 6 })
  const byBuffer = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))

  test('is that of their UTF-8 bytes, beyond the basic plane too', () => {
    fc.assert(
      fc.property(fc.array(name, { maxLength: 20 }), (names) => {
        expect(sortedByBytes(names)).toEqual([...names].sort(byBuffer))
      }),
      { examples: [[['\u{1f600}', '\uffee', '\ud7ff', 'z', 'z\u{1f600}', 'z\ufb01']]] },
    )
  })

  test('is the same for two and for many', () => {
    fc.assert(fc.property(name, name, (a, b) => expect(Math.sign(compareBytes(a, b))).toBe(byBuffer(a, b))))
  })
})

describe('a path', () => {
  testRows([
    'a',
    'a/b.txt',
    '.gitignore',
    '..a',
    'a..',
    '...',
    'a b/ü/😀',
    'x'.repeat(1_024),
    'a\\b',
    '%2e%2e/a',
  ])('may name a file', (path) => expect(pathParts(path)).toEqual(path.split('/')))

  testRows([
    ['empty', ''],
    ['absolute', '/etc/passwd'],
    ['leading up', '../a'],
    ['going up and down', 'a/../b'],
    ['up at the end', 'a/..'],
    ['just up', '..'],
    ['with a dot', './a'],
    ['with a dot inside', 'a/./b'],
    ['ending with a slash', 'a/'],
    ['with an empty part', 'a//b'],
    ['with a NUL', 'a\0b'],
    ['with half a character', 'a\ud800'],
    ['too long', 'x'.repeat(1_025)],
    ['too long in bytes', 'é'.repeat(513)],
    ['too deep', Array.from({ length: 65 }, () => 'a').join('/')],
  ])('names none where it does not fit', (_what, path) => expect(pathParts(path)).toBeUndefined())
})

describe('hidden is', () => {
  testRows([
    '.git',
    '.GIT',
    '.env',
    '.env.local',
    '.envrc',
    '.Env.production',
    'server.pem',
    'SERVER.PEM',
    'tls.key',
    'id_rsa',
    'id_rsa.pub',
    'id_ed25519',
    'id_ecdsa_sk.bak',
    'store.p12',
    'release.jks',
    '.npmrc',
    '.netrc',
    '.ssh',
    '.aws',
    '.git-credentials',
  ])('for who reads and for who runs', (name) => {
    expect([isHiddenName(name, 'shown'), isHiddenName(name, 'built')]).toEqual([true, true])
  })

  test('node_modules, for who reads alone', () => {
    expect(['shown', 'built'].map((view) => isHiddenName('node_modules', view as 'shown'))).toEqual([
      true,
      false,
    ])
  })

  testRows([
    '.gitignore',
    '.github',
    'env',
    'my.env',
    'key',
    'keyboard.ts',
    'id_card.html',
    'pem.md',
    'node_modules2',
  ])('not what has a similar name', (name) => expect(isHiddenName(name, 'shown')).toBe(false))
})

test.each([
  ['a time', new Date('2026-11-21T10:00:00.123Z'), '2026-11-21T10:00:00.123Z'],
  ['a time before every year of four digits', new Date(-8.64e15), '0000-01-01T00:00:00.000Z'],
  ['a time after them', new Date(8.64e15), '9999-12-31T23:59:59.999Z'],
  ['no time at all', new Date(Number.NaN), '1970-01-01T00:00:00.000Z'],
])('%s that a file may have is written as ISO 8601', (_what, time, text) => {
  expect(isoTime(time)).toBe(text)
})
