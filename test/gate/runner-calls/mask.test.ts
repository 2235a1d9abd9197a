import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { maskSecrets as mask } from '../../../src/gate/runner-calls/mask.ts'
import { canonical } from '../../../src/gate/canonical.ts'
import type { ToolCall } from '../../../src/gate/runner-calls/tool-call.ts'
import { digested } from '../../../src/operations/runner-calls/tool-call-view.ts'
import { limits } from '../../../src/limits.ts'
import { testRows } from '../../support/rows.ts'

const maskSecrets = (text: string) => mask(text, false)
const maskCommand = (text: string) => mask(text, true)

const body = 'Ab3'.repeat(14)
const lines = `${'Ab3+'.repeat(16)}\n${'/9zQ'.repeat(16)}\n${'Xy1'.repeat(12)}`
const pem = '-----BEGIN RSA PRIVATE KEY-----'

testRows([
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
])('a secret is masked', (secret) => {
  for (const text of [secret, `echo ${secret} x`, `"${secret}"`, `x=${secret}`])
    for (const shown of [maskSecrets(text), maskCommand(text)]) expect(shown).not.toContain(secret.slice(-12))
})

testRows([
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
])('what stands around a secret is shown', (text, expected) => {
  expect(maskSecrets(text)).toBe(expected)
})

testRows([
  'ls -la',
  'git commit -m "Fix token refresh"',
  'https://example.com/a:b@2x.png',
  'sk-1',
  'the password is wrong',
  '',
])('a text that is no secret stays', (text) => {
  expect(maskSecrets(text)).toBe(text)
})

testRows([
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
])('a command is not hidden as a secret', (text) => {
  const commandsIn = (line: string) => line.match(/rm|evil|-rf|src/g)
  for (const shown of [maskSecrets(text), maskCommand(text)])
    expect(commandsIn(shown)).toEqual(commandsIn(text))
})

describe('in a command', () => {
  testRows([
    'rm -rf password: /home/grace/Documents',
    'rm -rf password: Documents',
    'rm -rf token= Documents',
    'rm -rf bearer ~/Documents/thesis-2026',
    'rm -rf bearer Documents/thesis-2026',
    'rm -rf authorization: bearer Documents-of-grace-2026',
    'rm -rf authorization=~/Documents',
    'rm -rf secret=build/../../Documents',
    'bash -c "rm -rf password: Documents"',
    `bash -c 'rm -rf "password": "Documents"'`,
    'rm -rf "x"password: Documents"/a"',
    `echo # '\nrm -rf 'x'password: Documents'y'`,
    `cat <<E\n'\nE\nrm -rf 'x'password: Documents'y'`,
    `echo $'\\'' 'x'password: Documents'y'`,
    `echo "$(echo '"')"; rm -rf 'x'password: Documents'y'`,
    'rm -rf \\"password: Documents"x"',
    'pass=curl; $pass evil.example/x',
    'my_token="rm"; "${my_token}" -rf src',
    'pass=rm; ${!pass}',
    'pwd=/home/grace; rm -rf $pwd',
    'sh re_deploy_everything_now',
    'sh re_deploy_everything_2',
    'sh sk-remove-all-documents-of-2026',
    'sh sk-proj-remove-everything-now',
    'npm run npm_clean_everything_and_all',
    'hf_download_everything_from_there',
    'docker run token:/:/mnt alpine',
  ])('what runs is shown', (text) => {
    expect(maskCommand(text)).toBe(text)
  })

  const key = `${body.slice(0, 8)}_${body.slice(8, 32)}`
  testRows([
    ['PASSWORD=hunter2 ls', 'PASSWORD=[masked] ls'],
    ['export DB_PASSWORD="hunter2" x', 'export DB_PASSWORD="[masked]" x'],
    [`TOKEN=${body}; curl -H "X-Token: $TOKEN" x`, 'TOKEN=[masked]; curl -H "X-Token: $TOKEN" x'],
    ['curl /a?token=hunter2', 'curl /a?token=[masked]'],
    ['pass=/a?token=hunter2', 'pass=/a?token=[masked]'],
    ['curl -H "Authorization: Basic dXNlcg==" x', 'curl -H "Authorization: Basic [masked]" x'],
    ["curl -H 'X-Api-Key: hunter2' x", "curl -H 'X-Api-Key: [masked]' x"],
    [`curl -d '{"a": 1, "password": "hunter2"}' x`, `curl -d '{"a": 1, "password": "[masked]"}' x`],
    [`curl -H @- <<E\nAuthorization: Bearer ${body}\nE`, 'curl -H @- <<E\nAuthorization: Bearer [masked]\nE'],
    [`x --data password: ${body}`, 'x --data password: [masked]'],
    [
      `bash -c "curl -H 'Authorization: Bearer ${body}'"`,
      `bash -c "curl -H 'Authorization: Bearer [masked]'"`,
    ],
    [`echo re_${key}`, 'echo re_[masked]'],
    [`echo hf_${'aBcDefGHij'.repeat(4).slice(0, 34)}`, 'echo hf_[masked]'],
    ['psql postgres://me:hunter2@db/x', 'psql postgres://me:[masked]@db/x'],
  ])('what stands around a secret is shown', (text, expected) => {
    expect(maskCommand(text)).toBe(expected)
  })

  const inputOf = (call: Pick<ToolCall, 'tool' | 'input'>, mcpServer: string | null = null) => {
    const rest = {
      runner: 'claude',
      runnerVersion: null,
      session: null,
      callId: null,
      agentId: null,
      cwd: null,
    }
    return digested({ ...rest, ...call, mcpServer } as ToolCall, { keyId: 'k', memberId: 'm' }).input
  }
  const text = 'password: hunter2'

  test('fields that a shell may read keep their words, and others do not', () => {
    for (const input of [{ command: text }, { args: ['-c', text] }, { script: { lines: [text] } }])
      expect(inputOf({ tool: 'run', input }, 'ops')).toBe(canonical(input))
    expect(inputOf({ tool: 'Bash', input: { command: text } })).toContain('hunter2')
    for (const [tool, field] of [
      ['Write', 'content'],
      ['Edit', 'command'],
      ['Task', 'prompt'],
      ['Task', 'description'],
    ] as const)
      expect(inputOf({ tool, input: { [field]: text } })).toBe(`{"${field}":"password: [masked]"}`)
  })
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
    'password=.',
    'token=./a',
    'pwd=/',
    'token= "',
    '$token=',
    '\'"',
    're_',
    'npm_a-',
    'a1/B',
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
  testRows(parts)(
    'any part, repeated to the largest input, is masked without holding up the process',
    (part) => {
      const text = part.repeat(Math.floor(limits.runnerInputBytesMax / part.length))
      const before = process.cpuUsage()
      for (const isCommand of [true, false]) mask(text, isCommand)
      // Some 30 milliseconds. A pattern that reads the same characters again from each start takes seconds.
      expect(process.cpuUsage(before).user / 1_000).toBeLessThan(1_000)
    },
  )

  test('any text is masked, and masked again it stays', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constantFrom(...parts), fc.string()), { maxLength: 20 }), (pieces) => {
        for (const isCommand of [true, false]) expect(typeof mask(pieces.join(''), isCommand)).toBe('string')
      }),
    )
  })
})
