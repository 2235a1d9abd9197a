import { generateKeyPairSync } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { noteKey, type SignatureType, vkeyOf } from '../../src/seals/note.ts'
import { isQuorum, parseTrustPolicy } from '../../src/seals/trust-policy.ts'
import { readWitnessPolicy, witnessLines } from '../../src/seals/cosigning/witness-policy.ts'
import { testRows } from '../support/rows.ts'

const key = (name: string, type: SignatureType) =>
  vkeyOf(noteKey(name, type, generateKeyPairSync('ed25519').publicKey))
const log = key('gate.example/epochs', 0x01)
const witnesses = Object.fromEntries(
  ['X1', 'X2', 'X3', 'Y1', 'Y2', 'Y3'].map((name) => [name, key(`${name}.example`, 0x04)]),
)
const { X1, X2, Y1 } = witnesses as Record<'X1' | 'X2' | 'Y1', string>
const lines = (...of: string[]) => `${of.join('\n')}\n`

/** The example of the specification. */
const example = lines(
  `log ${log}`,
  '',
  ...['X1', 'X2', 'X3'].map((name) => `witness ${name} ${witnesses[name]}`),
  'group X-witnesses 2 X1 X2 X3',
  '',
  ...['Y1', 'Y2', 'Y3'].map((name) => `witness ${name} ${witnesses[name]}`),
  'group Y-witnesses any Y1 Y2 Y3',
  '',
  'group X-and-Y all X-witnesses Y-witnesses',
  'quorum X-and-Y',
)

test('the example of the specification needs two of one group and one of the other', () => {
  const policy = parseTrustPolicy(example)
  expect(policy.logs.map(({ key: { name } }) => name)).toEqual(['gate.example/epochs'])
  expect(policy.witnesses.map(({ name }) => name)).toEqual(Object.keys(witnesses))
  fc.assert(
    fc.property(fc.subarray(Object.keys(witnesses)), (cosigners) => {
      const count = (letter: string) => cosigners.filter((name) => name.startsWith(letter)).length
      expect(isQuorum(policy, new Set(cosigners))).toBe(count('X') >= 2 && count('Y') >= 1)
    }),
  )
})

test.each<[string, string, string[], boolean]>([
  ['one witness is enough where it is the quorum', lines(`witness X1 ${X1}`, 'quorum X1'), ['X1'], true],
  [
    'another witness is none of it',
    lines(`witness X1 ${X1}`, `witness Y1 ${Y1}`, 'quorum X1'),
    ['Y1'],
    false,
  ],
  ['nobody is enough for `quorum none`', lines('quorum none'), [], true],
  ['a name that no line defines counts for nothing', lines(`witness X1 ${X1}`, 'quorum X1'), ['X9'], false],
])('%s', (_, text, cosigners, expected) => {
  expect(isQuorum(parseTrustPolicy(text), new Set(cosigners))).toBe(expected)
})

test('comments, blank lines, tabs, surrounding spaces, URLs and a missing last newline are accepted', () => {
  const text = `# a comment\n\t # another\n \t\n  witness\tX1 \t${X1}  https://witness.example/x \nquorum X1`
  const { witnesses: found } = parseTrustPolicy(text)
  expect(found).toMatchObject([{ name: 'X1', url: 'https://witness.example/x', line: 4 }])
})

test('names are compared byte by byte: the Kelvin sign is not the letter K', () => {
  expect(() => parseTrustPolicy(lines(`witness K ${X1}`, 'quorum \u212a'))).toThrow('Line 2')
})

testRows<[string, string, RegExp]>([
  ['no quorum', lines(`log ${log}`), /no quorum line/],
  ['an empty text', '', /no quorum line/],
  ['a second quorum', lines('quorum none', 'quorum none'), /^Line 2 of the policy .*second quorum/],
  ['a quorum of nobody known', lines('quorum X'), /^Line 1 of the policy .*"X", which no line before/],
  ['a quorum that is defined later', lines('quorum X1', `witness X1 ${X1}`), /^Line 1 of the policy /],
  ['a quorum of two names', lines('quorum none none'), /^Line 1 of the policy must be: quorum/],
  ['an unknown word', lines('quorum none', 'mirror x'), /^Line 2 of the policy must begin with/],
  ['a word of every object', lines('toString x', 'quorum none'), /^Line 1 of the policy must begin with/],
  ['a keyword in capitals', lines('Quorum none'), /^Line 1 of the policy must begin with/],
  ['a log without a key', lines('log'), /^Line 1 of the policy must be: log/],
  ['a log with too much', lines(`log ${log} https://a.example more`), /^Line 1 of the policy must be: log/],
  [
    'a log with the key of a witness',
    lines(`log ${X1}`),
    /^Line 1 of the policy .*the key of a log has the type 0x01/,
  ],
  [
    'a witness with the key of a log',
    lines(`witness A ${log}`),
    /^Line 1 of the policy .*a witness has the type 0x04/,
  ],
  ['a witness without a key', lines('witness A'), /^Line 1 of the policy must be: witness/],
  [
    'a key with a changed letter',
    lines(`log ${log.replace(/.$/, '!')}`),
    /^Line 1 of the policy has a malformed key/,
  ],
  ['a key of another name', lines(`log x${log}`), /^Line 1 of the policy has a malformed key/],
  ['a log twice', lines(`log ${log}`, `log ${log}`), /^Line 2 of the policy repeats the key/],
  ['a witness twice', lines(`witness A ${X1}`, `witness B ${X1}`), /^Line 2 of the policy repeats the key/],
  [
    'two witnesses of one name',
    lines(`witness A ${X1}`, `witness A ${X2}`),
    /^Line 2 of the policy defines "A" a second/,
  ],
  [
    'a group named as a witness',
    lines(`witness A ${X1}`, 'group A any A'),
    /^Line 2 of the policy defines "A" a second/,
  ],
  ['a witness called none', lines(`witness none ${X1}`), /^Line 1 of the policy cannot define none/],
  ['a group with none', lines('group G any none'), /^Line 1 of the policy names "none"/],
  ['a group of itself', lines('group G any G'), /^Line 1 of the policy names "G"/],
  ['an empty group', lines('group G any'), /^Line 1 of the policy must be: group/],
  [
    'a group that needs nobody',
    lines(`witness A ${X1}`, 'group G 0 A'),
    /^Line 2 of the policy must need any, all, or 1/,
  ],
  ['a group that needs too many', lines(`witness A ${X1}`, 'group G 2 A'), /^Line 2 of the policy must need/],
  [
    'a threshold of another base',
    lines(`witness A ${X1}`, 'group G 0x1 A'),
    /^Line 2 of the policy must need/,
  ],
  ['a threshold with a sign', lines(`witness A ${X1}`, 'group G +1 A'), /^Line 2 of the policy must need/],
  ['a member twice', lines(`witness A ${X1}`, 'group G 2 A A'), /^Line 2 of the policy .*already in a group/],
  [
    'a member of two groups',
    lines(`witness A ${X1}`, 'group G any A', 'group H any A'),
    /^Line 3 of the policy .*already in a group/,
  ],
  ['a carriage return', lines('quorum none\r'), /^Line 1 of the policy has a control character/],
  ['a NUL', lines('quorum none', '# \0'), /^Line 2 of the policy has a control character/],
  ['a malformed URL', lines(`witness A ${X1} witness.example`), /^Line 1 of the policy has a malformed URL/],
  ['a text that is too long', `quorum none\n${'#'.repeat(65_536)}`, /longer than 65536 bytes/],
])('a policy that cannot be read is refused, and the line is named', (_, text, reason) => {
  expect(() => parseTrustPolicy(text)).toThrow(reason)
})

test('no text makes the parser fail in another way than by naming what is wrong', () => {
  const word = fc.oneof(
    fc.constantFrom('log', 'witness', 'group', 'quorum', 'none', 'any', 'all', '2', '#', X1, log, 'A'),
    fc.string(),
  )
  const text = fc.array(fc.array(word).map((words) => words.join(' '))).map((all) => all.join('\n'))
  fc.assert(
    fc.property(text, (policy) => {
      try {
        parseTrustPolicy(policy)
      } catch (error) {
        expect((error as Error).message).toMatch(/^(Line \d+ of the policy|The policy) .*\.$/su)
      }
    }),
  )
})

test('256 witnesses are accepted, and one more is refused', () => {
  const many = Array.from({ length: 257 }, (_, n) => `witness w${n} ${key(`w${n}`, 0x04)}`)
  expect(parseTrustPolicy(lines(...many.slice(1), 'quorum none')).witnesses).toHaveLength(256)
  expect(() => parseTrustPolicy(lines(...many, 'quorum none'))).toThrow('Line 257')
})

test('the setting is a text or a file, and its witnesses have https or loopback URLs', () => {
  const file = join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'policy.txt')
  writeFileSync(file, example)
  expect(readWitnessPolicy(file)).toMatchObject({ witnesses: { length: 6 } })
  expect(readWitnessPolicy(example)).toMatchObject({ witnesses: { length: 6 } })
  expect(readWitnessPolicy('quorum none')).toMatchObject({ witnesses: [] })
  expect(() => readWitnessPolicy('/nowhere/policy.txt')).toThrow('There is no policy file')
  const at = (url: string) => () => readWitnessPolicy(lines(`witness A ${X1} ${url}`, 'quorum A'))
  for (const url of [
    'https://w.example',
    'http://127.0.0.1:8790',
    'http://localhost:8790/w',
    'http://[::1]:1',
  ])
    expect(at(url)).not.toThrow()
  for (const url of [
    'http://w.example',
    'http://10.0.0.1',
    'file:///etc/passwd',
    'https://u:p@w.example',
    'https://w.example/?a',
    'http://127.0.0.1.w.example',
  ])
    expect(at(url)).toThrow('Line 1')
})

test('a policy file that is not UTF-8 is refused', () => {
  const file = join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'latin1.txt')
  writeFileSync(file, Buffer.from('# caf\xe9\nquorum none\n', 'latin1'))
  expect(() => readWitnessPolicy(file)).toThrow('UTF-8')
})

test('the policy for those who check takes over the witnesses and the quorum, and no log', () => {
  expect(witnessLines({})).toEqual(['quorum none'])
  const taken = witnessLines({ WITNESS_POLICY: example })
  expect(parseTrustPolicy(lines(...taken))).toMatchObject({ logs: [], witnesses: { length: 6 } })
})
