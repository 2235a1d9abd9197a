import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { spawnSync } from 'node:child_process'
import { copyFileSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { newReceipts } from './receipt.ts'
import { append, exportLines, exportText, newAccount, newGate, policyOf, sealer } from './log.ts'
import { testRows } from '../../../test/support/rows.ts'

// A stranger's folder: the verifier, a file and a policy. No package.json, nothing else.
let folder: string
const gate = newGate('gate.example.com', 1)
const account = newAccount(70)
const { seal, proof } = sealer(gate)

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stranger-'))
  copyFileSync(fileURLToPath(new URL('../lib/verify.mjs', import.meta.url)), join(folder, 'verify.mjs'))
  symlinkSync('verify.mjs', join(folder, 'qualification-gate-verify'))
  writeFileSync(join(folder, 'policy.txt'), policyOf(gate))
  writeFileSync(join(folder, 'entry.tlog-proof'), proof(account, 3))
  const sealed = seal(account)
  writeFileSync(join(folder, 'checkpoint.txt'), sealed.checkpoint)
  const text = exportText(exportLines(account, [sealed]))
  writeFileSync(join(folder, 'ledger.jsonl'), text)
  writeFileSync(join(folder, 'package.json'), '{\n  "name": "x"\n}\n')
  writeFileSync(join(folder, 'spaced.jsonl'), text.replaceAll('\n', ' \n'))
  writeFileSync(join(folder, 'twice.jsonl'), text.replace('{"v":1,', '{"v":1,"v":1,'))
  writeFileSync(join(folder, 'header.jsonl'), text.replace('{"v":1,', '{"v":2,'))
})

afterAll(() => rmSync(folder, { recursive: true, force: true }))

function verify(...args: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
  return { status, stdout, stderr }
}

test('the program says in a folder of its own who consented, when it was sealed and who witnessed it', () => {
  expect(verify('verify.mjs', 'entry.tlog-proof', '--policy', 'policy.txt')).toEqual({
    status: 0,
    stdout:
      'consented by mem_0123456789abcdef at 2026-11-23T03:00:03.000Z (page, email), sealed at 2026-11-23T04:00:00Z, witnessed by W1 at 2026-11-23T04:00:01Z.\n' +
      'Action 1, seq 3 of acct_0123456789ABCDEF.\n',
    stderr: '',
  })
})

test('the program is started through a link as well, as npx does', () => {
  const { status, stdout } = verify(
    'qualification-gate-verify',
    'ledger.jsonl',
    '--policy',
    'policy.txt',
    '--checkpoint',
    'checkpoint.txt',
    '--action',
    '2',
    '--json',
  )
  expect(status).toBe(0)
  expect(JSON.parse(stdout)).toMatchObject({
    ok: true,
    what: 'export',
    facts: { entries: 70, sealed: 70, consent: { action: 2, seq: 6, strength: 'page' } },
  })
})

test('a changed file exits with 1 and names the first bad entry on stderr', () => {
  const text = exportText(exportLines(account, [seal(account)]))
  writeFileSync(join(folder, 'changed.jsonl'), text.replace('"seq":17,', '"seq":16,'))
  const { status, stdout, stderr } = verify('verify.mjs', 'changed.jsonl', '--policy', 'policy.txt')
  expect({ status, stdout, stderr }).toEqual({
    status: 1,
    stdout: '',
    stderr: 'seq 17: seq 16 is in its place.\n',
  })
  expect(
    JSON.parse(verify('verify.mjs', 'changed.jsonl', '--policy', 'policy.txt', '--json').stdout),
  ).toEqual({
    ok: false,
    place: 'seq 17',
    problem: 'seq 16 is in its place',
  })
})

test('the text of a forged file reaches a terminal only as escapes, and --json says it whole', () => {
  const { checkpoint } = sealer(gate)
  const origin = 'gate.example.com\u009b31m\u202e/epochs'
  writeFileSync(join(folder, 'forged.txt'), checkpoint(origin, [], []))
  const named = newAccount(2)
  append(named, 'confirmed', 1, { strength: 'page', channel: 'Gr\u00fc\u009b\u202e' })
  writeFileSync(join(folder, 'named.tlog-proof'), proof(named, 3))
  const forged = verify('verify.mjs', 'forged.txt', '--policy', 'policy.txt', '--json')
  expect(forged).toMatchObject({ status: 1, stderr: expect.stringContaining('\\u{9b}31m\\u{202e}') })
  const proven = verify('verify.mjs', 'named.tlog-proof', '--policy', 'policy.txt', '--json')
  expect(JSON.parse(proven.stdout).facts.consent.channel).toBe('Gr\u00fc\u009b\u202e')
  const missing = verify('verify.mjs', 'none\u009b31m', '--policy', 'policy.txt')
  for (const { stdout, stderr } of [forged, proven, missing])
    expect(stdout + stderr).toMatch(/^[\x20-\x7e\n]+$/)
})

testRows([
  ['no file', [], 2, 'Usage: verify FILE'],
  ['two files', ['a', 'b'], 2, 'Usage: verify FILE'],
  ['an unknown option', ['entry.tlog-proof', '--polcy', 'policy.txt'], 2, "Unknown option '--polcy'"],
  ['no policy', ['entry.tlog-proof'], 2, 'exports, proofs and checkpoints need --policy'],
  ['a policy that is none', ['entry.tlog-proof', '--policy', 'entry.tlog-proof'], 2, 'line 1 of the policy'],
  ['a malformed action', ['ledger.jsonl', '--policy', 'policy.txt', '--action', '0'], 2, '--action must be'],
  ['a file that is not there', ['nothing', '--policy', 'policy.txt'], 2, 'no such file'],
  ['a folder', ['.', '--policy', 'policy.txt'], 2, 'illegal operation on a directory'],
  [
    'an action without consent',
    ['ledger.jsonl', '--policy', 'policy.txt', '--action', '99'],
    1,
    'action 99: the export has no consent to it',
  ],
  [
    'JSON that is no export',
    ['package.json', '--policy', 'policy.txt'],
    2,
    'file: it is not a ledger export',
  ],
  ['an export with spaces', ['spaced.jsonl', '--policy', 'policy.txt'], 2, 'file: it is not a ledger export'],
  [
    'an export whose first line names something twice',
    ['twice.jsonl', '--policy', 'policy.txt'],
    2,
    'not a ledger export',
  ],
  ['a header of another form', ['header.jsonl', '--policy', 'policy.txt'], 1, 'header: it has another form'],
  [
    'a file of another kind',
    ['policy.txt', '--policy', 'policy.txt'],
    2,
    'file: it is neither a ledger export',
  ],
])('the reason why a file cannot be verified is said on stderr', (_, args, status, words) => {
  const told = verify('verify.mjs', ...args)
  expect({ status: told.status, stdout: told.stdout }).toEqual({ status, stdout: '' })
  expect(told.stderr).toContain(words)
})

test('a receipt must meet what is asked for: gate, account, kind, strength, payload and time', () => {
  const { receipt, jwks, claims, payload } = newReceipts(new Date('2026-11-23T03:00:00.000Z'))
  writeFileSync(join(folder, 'receipt.jwt'), `${receipt()}\n`)
  writeFileSync(join(folder, 'keys.json'), jwks)
  writeFileSync(join(folder, 'payload.json'), JSON.stringify(payload))
  const demands = {
    issuer: claims.iss,
    account: claims.account,
    kind: 'refund',
    'min-strength': 'chat',
    payload: 'payload.json',
    at: '2026-11-23T03:05:00Z',
  }
  const check = (changed: Partial<typeof demands>) => {
    const options = Object.entries({ ...demands, ...changed }).flatMap(([name, value]) => [
      `--${name}`,
      value,
    ])
    const { status, stdout, stderr } = verify('verify.mjs', 'receipt.jwt', '--jwks', 'keys.json', ...options)
    return { status, told: stdout + stderr }
  }
  expect(check({})).toEqual({ status: 0, told: expect.stringContaining('consented by grace@example.com') })
  for (const [changed, told] of [
    [{ issuer: 'https://evil.example' }, 'its iss is https://gate.example.com, not https://evil.example'],
    [{ account: 'acct_ZZZZZZZZZZZZZZZZ' }, 'its account is acct_0123456789ABCDEF'],
    [{ kind: 'payout' }, 'its kind is refund, not payout'],
    [{ 'min-strength': 'page' }, 'its consent is chat, weaker than page'],
    [{ payload: 'keys.json' }, 'the payload is not the one that was consented to'],
    [{ at: '2026-11-24T03:00:00Z' }, 'it has expired'],
  ] as const)
    expect(check(changed)).toEqual({ status: 1, told: expect.stringContaining(`receipt: ${told}`) })
})

test('the program imports nothing but what Node has, and that only when it runs in Node', async () => {
  const { readFileSync } = await import('node:fs')
  const source = readFileSync(join(folder, 'verify.mjs'), 'utf8')
  expect(source).not.toMatch(/^\s*import\s/m)
  expect(
    [...source.matchAll(/import\('([^']+)'\)/g)]
      .map(([, name]) => name)
      .filter((name) => !name!.startsWith('node:')),
  ).toEqual([])
})
