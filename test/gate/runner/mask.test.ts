import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { maskSecrets } from '../../../src/gate/runner/mask.ts'
import { limits } from '../../../src/limits.ts'

const body = 'Ab3'.repeat(14)
const lines = `${'Ab3+'.repeat(16)}\n${'/9zQ'.repeat(16)}\n${'Xy1'.repeat(12)}`
const pem = '-----BEGIN RSA PRIVATE KEY-----'

test.each([
  `qgk_${body.slice(0, 38)}`,
  'AKIAIOSFODNN7EXAMPLE',
  `ghp_${body.slice(0, 36)}`,
  `github_pat_${body}`,
  `glpat-${body.slice(0, 20)}`,
  `xoxb-${body}`,
  `sk_live_${body.slice(0, 24)}`,
  `rk_test_${body.slice(0, 24)}`,
  `sk-ant-api03-${body}`,
  `sk-proj-${body}`,
  `sk-${body}`,
  `AIza${body.slice(0, 35)}`,
  `npm_${body.slice(0, 36)}`,
  `pypi-${body}`,
])('%s is masked', (secret) => {
  for (const text of [secret, `echo ${secret} x`, `"${secret}"`, `x=${secret}`])
    expect(maskSecrets(text)).not.toContain(secret.slice(-12))
})

test.each([
  [`curl -H "Authorization: Bearer ${body}" x`, 'curl -H "Authorization: Bearer [masked]" x'],
  ['Authorization: Basic dXNlcg==', 'Authorization: Basic [masked]'],
  ['psql postgres://me:hunter2@db/x', 'psql postgres://me:[masked]@db/x'],
  ['PASSWORD=hunter2 ls', 'PASSWORD=[masked] ls'],
  ['export DB_PASSWORD="hunter2" x', 'export DB_PASSWORD="[masked]" x'],
  ['{"api_key": "hunter2", "a": 1}', '{"api_key": "[masked]", "a": 1}'],
  ["--token='hunter2'", "--token='[masked]'"],
  [`a ${pem}\n${lines}\nAbc=\n-----END RSA PRIVATE KEY----- b`, 'a [private key] b'],
  [
    `{"key":"${pem}\\n${lines.replaceAll('\n', '\\n')}\\n-----END RSA PRIVATE KEY-----\\n"}`,
    '{"key":"[private key]\\n"}',
  ],
  [`a ${pem}\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,3F17F5316E2BAC89\n\n${lines}`, 'a [private key]'],
  [`eyJ${body}.${body}.${body} x`, '[JSON web token] x'],
  [`--session-eyJ${body}.${body}.${body} x`, '--session-[JSON web token] x'],
])('%j is shown as %j', (text, expected) => {
  expect(maskSecrets(text)).toBe(expected)
})

test.each([
  'ls -la',
  'git commit -m "Fix token refresh"',
  'https://example.com/a:b@2x.png',
  'sk-1',
  'the password is wrong',
  '',
])('%j stays', (text) => {
  expect(maskSecrets(text)).toBe(text)
})

test.each([
  `echo ${pem}; rm -rf src`,
  `echo "${pem}\nrm -rf src\n-----END RSA PRIVATE KEY-----"`,
  `${pem}\n${lines}\nevil\n-----END RSA PRIVATE KEY-----`.replace(lines, 'x'),
  'password="$(rm -rf src)"',
  'password=$(rm${IFS}-rf${IFS}src)',
  'password=`evil`',
  'env "token=" rm -rf src ""',
  'echo "x token="; rm -rf src; echo "y"',
  "echo 'secret='\nrm -rf src\necho ''",
  'token="a"|evil',
  'curl "authorization:"$(rm${IFS}src)',
  'curl https://a:$(evil)@b',
])('%j stays: a command is not hidden as a secret', (text) => {
  const commandsIn = (line: string) => line.match(/rm|evil|-rf|src/g)
  expect(commandsIn(maskSecrets(text))).toEqual(commandsIn(text))
})

describe('long texts', () => {
  const parts = [
    '-----BEGIN PRIVATE KEY-----',
    '-',
    'eyJ',
    '-eyJ',
    'a-b-eyJ',
    'eyJaaaaaaaa.',
    '://a:',
    'password=',
    'token',
    'authorization:',
    'bearer ',
    'sk-',
    '"\\',
    'xoxb-',
    ' ',
    "secret='",
    '-----END ',
  ]
  test.each(parts)('%j as the largest input is masked without holding up the process', (part) => {
    const text = part.repeat(Math.floor(limits.runnerInputBytesMax / part.length))
    const before = process.cpuUsage()
    maskSecrets(text)
    // Some 30 milliseconds. A pattern that reads the same characters again from each start takes seconds.
    expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
  })

  test('any text is masked, and masked again it stays', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...parts), fc.string()), { maxLength: 20 }), (pieces) => {
        expect(typeof maskSecrets(pieces.join(''))).toBe('string')
      }),
    )
  })
})
