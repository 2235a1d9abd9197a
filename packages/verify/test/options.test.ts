import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  consistencyOf,
  exportLines,
  exportText,
  leavesOf,
  newAccount,
  newGate,
  policyOf,
  sealer,
} from './log.ts'
import { newReceipts } from './receipt.ts'
import { run, verifyFile } from '../lib/verify.mjs'
import { testRows } from '../../../test/support/rows.ts'

let folder: string
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'options-'))
  for (const [name, text] of Object.entries(files())) writeFileSync(join(folder, name), text)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function files(): Record<string, string> {
  const [gate, account] = [newGate('gate.example.com', 0), newAccount(70)]
  const { seal, proof } = sealer(gate)
  const leaves = leavesOf(account)
  const pathOf = (size: number) =>
    consistencyOf(size, leaves)
      .map((hash) => `${hash.toString('base64')}\n`)
      .join('')
  const fork = newAccount(40)
  fork.entries[20] = { ...fork.entries[20]!, hash: 'ab'.repeat(32) }
  const { receipt, jwks, payload } = newReceipts(new Date('2026-11-23T03:00:00.000Z'))
  return {
    'ledger.jsonl': exportText(exportLines(account, [seal(account)])),
    'entry.tlog-proof': proof(account, 3),
    'account.tlog-proof': proof(account, 1),
    'checkpoint.txt': seal(account).checkpoint,
    'receipt.jwt': receipt(),
    'policy.txt': policyOf(gate),
    'other-policy.txt': policyOf(newGate('gate.example.com', 0)),
    'kept.txt': seal(account, 40).checkpoint,
    'fork.txt': seal(fork).checkpoint,
    'path.txt': pathOf(40),
    'other-path.txt': pathOf(41),
    'keys.json': jwks,
    'other-keys.json': newReceipts(new Date()).jwks,
    'payload.json': JSON.stringify(payload),
    'other.json': '{}',
  }
}

/** Every option, with what is right of the files above, and what is not. */
const values: Record<string, { right: string; wrong: string }> = {
  '--policy': { right: 'policy.txt', wrong: 'other-policy.txt' },
  '--checkpoint': { right: 'kept.txt', wrong: 'fork.txt' },
  '--consistency': { right: 'path.txt', wrong: 'other-path.txt' },
  '--action': { right: '1', wrong: '99' },
  '--jwks': { right: 'keys.json', wrong: 'other-keys.json' },
  '--payload': { right: 'payload.json', wrong: 'other.json' },
  '--issuer': { right: 'https://gate.example.com', wrong: 'https://evil.example' },
  '--account': { right: 'acct_0123456789ABCDEF', wrong: 'acct_ZZZZZZZZZZZZZZZZ' },
  '--kind': { right: 'refund', wrong: 'payout' },
  '--min-strength': { right: 'chat', wrong: 'page' },
  '--at': { right: '2026-11-23T03:05:00Z', wrong: '2026-11-25T03:05:00Z' },
}
const options = Object.keys(values)

/** The options that each kind of file reads. */
const read: Record<string, { file: string; reads: string[] }> = {
  'an export': { file: 'ledger.jsonl', reads: ['--policy', '--checkpoint', '--action'] },
  'a proof': {
    file: 'entry.tlog-proof',
    reads: ['--policy', '--checkpoint', '--consistency', '--action'],
  },
  'a checkpoint': { file: 'checkpoint.txt', reads: ['--policy', '--checkpoint', '--consistency'] },
  'a receipt': {
    file: 'receipt.jwt',
    reads: ['--jwks', '--payload', '--issuer', '--account', '--kind', '--min-strength', '--at'],
  },
}
const groups: Record<string, string> = {
  '--policy': 'exports, proofs and checkpoints',
  '--checkpoint': 'exports, proofs and checkpoints',
  '--consistency': 'proofs and checkpoints',
  '--action': 'exports and proofs',
}

/** The command line, with the names of files in their folder. */
async function verify(...args: string[]) {
  const told = { stdout: '', stderr: '' }
  const io = (name: 'stdout' | 'stderr') => ({ write: (text: string) => void (told[name] += text) })
  const isFile = (arg: string) => /^[\w-]+\.(txt|json|jsonl|jwt|tlog-proof)$/.test(arg)
  const status = await run(
    args.map((arg) => (isFile(arg) ? join(folder, arg) : arg)),
    { stdout: io('stdout'), stderr: io('stderr') },
  )
  return { status, ...told }
}

const given = (names: string[], wrong?: string) =>
  names.flatMap((name) => [name, values[name]![name === wrong ? 'wrong' : 'right']])

test('the options below are all that there are', async () => {
  const named = new Set((await verify('--help')).stdout.match(/--[a-z-]+/g))
  expect([...named].toSorted()).toEqual([...options, '--unsealed', '--json'].toSorted())
})

const kinds = Object.entries(read).map(([what, { file, reads }]) => ({ what, file, reads }))

testRows(kinds)('each option is accepted with a file that it belongs to', async ({ file, reads }) => {
  expect(await verify(file, ...given(reads))).toMatchObject({ status: 0, stderr: '' })
})

testRows(kinds.flatMap((kind) => kind.reads.map((option) => ({ ...kind, option }))))(
  'every option that is read is looked at: a wrong one fails',
  async ({ file, reads, option }) => {
    const told = await verify(file, ...given(reads, option))
    expect(told).toMatchObject({ status: 1, stdout: '' })
    expect(told.stderr).toMatch(/^[a-z0-9 ]+: .+\.\n$/)
  },
)

const unread = kinds.flatMap((kind) =>
  options.filter((option) => !kind.reads.includes(option)).map((option) => ({ ...kind, option })),
)
testRows(unread)('every other option is refused: it would not be looked at', async (row) => {
  const { what, file, reads, option } = row
  expect(await verify(file, ...given([...reads, option]))).toEqual({
    status: 2,
    stdout: '',
    stderr: `${option} is for ${groups[option] ?? 'receipts'}, and this file is ${what}\n`,
  })
})

testRows(kinds)('--unsealed is for exports', async ({ what, file, reads }) => {
  const told = await verify(file, ...given(reads), '--unsealed')
  const stderr = `--unsealed is for exports, and this file is ${what}\n`
  expect(told).toMatchObject(what === 'an export' ? { status: 0, stderr: '' } : { status: 2, stderr })
})

test.each(['entry.tlog-proof', 'checkpoint.txt'])(
  'a --consistency of %s without a checkpoint to compare is refused',
  async (file) => {
    expect(await verify(file, ...given(['--policy', '--consistency']))).toEqual({
      status: 2,
      stdout: '',
      stderr: '--consistency needs --checkpoint: the checkpoint that the path begins or ends at\n',
    })
  },
)

test('a proof of an entry that is about no action is not of the action that is asked for', async () => {
  expect(await verify('account.tlog-proof', ...given(['--policy', '--action']))).toMatchObject({
    status: 1,
    stderr: 'seq 1: it is about no action, not about action 1.\n',
  })
  expect(await verify('entry.tlog-proof', '--policy', 'policy.txt', '--action', '5')).toMatchObject({
    status: 1,
    stderr: 'seq 3: it is about action 1, not about action 5.\n',
  })
})

test('a program that misspells an option is told', async () => {
  const file = async function* () {
    yield Buffer.from(files()['entry.tlog-proof']!)
  }
  const misspelled = { policy: files()['policy.txt']!, checkpoint: 'kept' }
  await expect(verifyFile(file(), misspelled)).rejects.toThrow(
    new TypeError('There is no option checkpoint.'),
  )
})
