import { describe, expect, test } from '@jest/globals'
import { type Options, verifyFile } from '../lib/verify.mjs'
import {
  type Account,
  type Entry,
  append,
  consistencyOf,
  exportLines,
  leavesOf,
  newAccount,
  newGate,
  newKey,
  policyOf,
  sealer,
  sha,
  vkeyOf,
} from './log.ts'
import { testRows } from '../../../test/support/rows.ts'

// Each check has a file that it alone refuses: what is wrong is made to fit with everything else.

async function* bytesOf(bytes: Uint8Array) {
  yield bytes
}

const gate = newGate('gate.example.com', 1)
const policy = policyOf(gate)
const account = newAccount(20)
const { seal, proof } = sealer(gate)
const lines = exportLines(account, [seal(account)])

/** The file of these lines, with a last line that fits. */
function fileOf(parts: (string | Uint8Array)[], end: object = {}): Buffer {
  const body = Buffer.concat(parts.flatMap((part) => [Buffer.from(part), Buffer.of(10)]))
  const fitting = { lines: parts.length, sha256: sha(body).toString('hex') }
  return Buffer.concat([body, Buffer.from(`${JSON.stringify({ end: { ...fitting, ...end } })}\n`)])
}

const refusalOf = async (file: Uint8Array | string, options: Options = { policy }) => {
  const verdict = await verifyFile(bytesOf(Buffer.from(file)), options)
  return verdict.ok ? 'accepted' : `${verdict.place}: ${verdict.problem}`
}
const exportOf = (of: Account) => fileOf(exportLines(of, [sealer(gate).seal(of)]))
const withLine = (line: number, text: string | Uint8Array) =>
  fileOf((lines as (string | Uint8Array)[]).with(line, text))

/** The account with an entry changed, and its hash made again. Entries after it are as they were. */
function relinked(seq: number, change: Partial<Entry>, of: Account = account): Account {
  const entries = of.entries.map((entry) => ({ ...entry }))
  const entry = Object.assign(entries[seq - 1]!, change)
  entry.hash = sha(
    Buffer.from(entry.prev, 'hex'),
    `${of.account} ${seq} ${entry.at}\n${entry.entry}`,
  ).toString('hex')
  return { ...of, entries }
}

test('an unchanged export is accepted', async () => {
  expect(await refusalOf(fileOf(lines))).toBe('accepted')
  expect(await refusalOf(exportOf(account))).toBe('accepted')
  expect(await refusalOf(proof(account, 3))).toBe('accepted')
})

describe('the text of a forged file paints no terminal', () => {
  // A title, a colour by the one character of C1, a turned direction, a second line, DEL.
  const paint = '\u001b]0;x\u0007\u009b31m\u202e\u2066\u2028\n\u007f'
  const checkpointOf = (origin: string) => sealer(gate).checkpoint(origin, leavesOf(account), [])
  // A note has no control character of C0: the others are left.
  const paintInNote = '\u009b31m\u202e\u2066'
  const entry = lines[3]!

  test.each<[string, string | Uint8Array]>([
    ['a kind', withLine(3, entry.replace('"kind":"confirmed"', `"kind":${JSON.stringify(paint)}`))],
    [
      'the kind in a text',
      exportOf(
        relinked(20, { entry: account.entries[19]!.entry.replace('"proposed"', JSON.stringify(paint)) }),
      ),
    ],
    ['an origin', checkpointOf(`gate.example.com${paintInNote}/ledger/${account.account}`)],
    ['an origin of epochs', checkpointOf(`${paintInNote}/epochs`)],
  ])('in %s', async (_, file) => {
    expect(await refusalOf(file)).toMatch(/^(?!accepted)[\x20-\x7e]*\\u\{9b\}31m[\x20-\x7e]*$/)
  })
})

describe('an entry is refused', () => {
  test('whose prev is not the hash before it', async () => {
    const cut = relinked(20, { prev: account.entries[10]!.hash })
    expect(await refusalOf(exportOf(cut))).toBe('seq 20: its prev is not the hash of seq 19')
    const first = relinked(1, { prev: 'ab'.repeat(32) })
    expect(await refusalOf(exportOf(first))).toBe('seq 1: its prev is not the hash of the start of the chain')
  })

  test('that is earlier than the one before it', async () => {
    const early = relinked(20, { at: '2026-11-22T00:00:00.000Z' })
    expect(await refusalOf(exportOf(early))).toBe('seq 20: its time is earlier than that of seq 19')
  })

  test('whose kind or action is listed otherwise than its text says', async () => {
    const entry = lines[3]!
    expect(await refusalOf(withLine(3, entry.replace('"kind":"confirmed"', '"kind":"cancelled"')))).toBe(
      'seq 3: it is listed as cancelled, but its text says confirmed',
    )
    expect(await refusalOf(withLine(3, entry.replace('"action_id":1', '"action_id":2')))).toBe(
      'seq 3: it is listed for action 2, but its text says 1',
    )
  })

  test.each([
    ['that is no JSON', 'not JSON'],
    ['that is a list', '[]'],
    ['without an actor', '{"action":1,"data":{},"kind":"confirmed"}'],
    ['whose action is a text', '{"action":"1","actor":"m","data":{},"kind":"confirmed"}'],
  ])('with a text %s', async (_, entry) => {
    expect(await refusalOf(exportOf(relinked(20, { entry })))).toBe(
      'seq 20: its text is not that of an entry',
    )
  })

  testRows([
    ['a space', (text: string) => text.replace('"seq":', '"seq": ')],
    ['a space at its end', (text: string) => `${text} `],
    ['another number of the same value', (text: string) => text.replace('"seq":1,', '"seq":1.0,')],
    ['an escaped letter', (text: string) => text.replace('ü', '\\u00fc')],
    ['a field twice', (text: string) => text.replace('{"seq":1,', '{"seq":1,"seq":1,')],
    ['one more field', (text: string) => text.replace(/}$/, ',"more":1}')],
    ['a field less', (text: string) => text.replace('"action_id":null,', '')],
    ['another order', (text: string) => text.replace(/("kind":"\w+"),("action_id":null)/, '$2,$1')],
    ['a byte order mark', (text: string) => `\ufeff${text}`],
    ['a carriage return', (text: string) => `${text}\r`],
  ])('that is not written as entries are', async (_, change) => {
    expect(change(lines[1]!)).not.toBe(lines[1])
    expect(await refusalOf(withLine(1, change(lines[1]!)))).toMatch(/^seq 1: it has another form than/)
  })
})

describe('an export is refused', () => {
  test('of which bytes are not UTF-8, also where no signature is', async () => {
    const stranger = newKey('stranger.example', 4)
    const sealed = seal(account)
    const line = `\u2014 ${stranger.name} ${Buffer.alloc(76).toString('base64')}\n`
    const more = JSON.stringify({ seal: { ...sealed, checkpoint: sealed.checkpoint + line } })
    expect(await refusalOf(withLine(21, more))).toBe('accepted')
    const bytes = Buffer.from(more)
    bytes[bytes.indexOf('stranger')] = 0xff
    expect(await refusalOf(withLine(21, bytes))).toBe('seal 1: it is not UTF-8 text')
  })

  test('whose first line has another hash, account, or number of entries', async () => {
    const header = lines[0]!
    const { hash } = account.entries[19]!
    expect(await refusalOf(withLine(0, header.replace(hash, 'ab'.repeat(32))))).toBe(
      'header: its hash does not match seq 20',
    )
    expect(await refusalOf(withLine(0, header.replace('"seq":20', '"seq":19')))).toMatch(/^seal 1: /)
    expect(await refusalOf(withLine(0, header.replace('"seq":20', '"seq":21')))).toMatch(/^seq 21: /)
    expect(await refusalOf(withLine(0, header.replace('"seq":20', '"seq":0')))).toBe(
      'header: it announces 0 entries',
    )
    expect(await refusalOf(withLine(0, header.replace(account.account, 'acct_ZZZZZZZZZZZZZZZZ')))).toMatch(
      /^seq 1: /,
    )
    expect(await refusalOf(withLine(0, header.replace('T05:00:00.000Z', 'T25:00:00.000Z')))).toMatch(
      /^header: /,
    )
  })

  test('with a seal of another account', async () => {
    const other = newAccount(20, 'acct_ZZZZZZZZZZZZZZZZ')
    expect(
      await refusalOf(fileOf([...exportLines(account, []), JSON.stringify({ seal: seal(other) })])),
    ).toBe(
      'seal 1: its seal is of gate.example.com/ledger/acct_ZZZZZZZZZZZZZZZZ, not of acct_0123456789ABCDEF',
    )
  })

  test('with the same seal twice, or seals in another order', async () => {
    const seals = [seal(account, 10), seal(account)].map((one) => JSON.stringify({ seal: one }))
    const entries = exportLines(account, [])
    expect(await refusalOf(fileOf([...entries, ...seals]))).toBe('accepted')
    expect(await refusalOf(fileOf([...entries, ...seals.toReversed()]))).toMatch(
      /^seal 2: its size is not larger/,
    )
    expect(await refusalOf(fileOf([...entries, seals[0]!, seals[0]!]))).toMatch(
      /^seal 2: its size is not larger/,
    )
  })

  test('without its last line, with one that does not fit, and with lines after it', async () => {
    const whole = fileOf(lines).toString()
    expect(await refusalOf(lines.map((line) => `${line}\n`).join(''))).toBe(
      'end: it is missing: the file was cut',
    )
    expect(await refusalOf(whole.replace('T05:00:00', 'T06:00:00'))).toBe(
      'end: the file was changed: its hash is another one',
    )
    expect(await refusalOf(fileOf(lines, { lines: 21 }))).toBe(
      'end: it announces 21 lines before it, but there are 22',
    )
    expect(await refusalOf(fileOf(lines, { more: 1 }))).toMatch(/^end: it has another form/)
    expect(await refusalOf(`${whole}x\n`)).toBe('end: the file goes on after its last line')
    expect(await refusalOf(`${whole}\n${whole}`)).toBe('end: the file goes on after its last line')
    expect(await refusalOf(whole.slice(0, -2))).toMatch(/^end: it has another form/)
  })

  test('whose kept checkpoint is of another ledger', async () => {
    const { checkpoint } = seal(newAccount(5, 'acct_ZZZZZZZZZZZZZZZZ'))
    expect(await refusalOf(fileOf(lines), { policy, checkpoints: [checkpoint] })).toBe(
      'checkpoint 1: it is of gate.example.com/ledger/acct_ZZZZZZZZZZZZZZZZ',
    )
  })
})

test('a proof whose index is that of another entry is refused', async () => {
  expect(await refusalOf(proof(account, 3).replace('index 2', 'index 3'))).toBe(
    'seq 3: the proof is for seq 4',
  )
})

describe('an epoch is refused', () => {
  test('of another host, though the policy knows it', async () => {
    const other = newKey('other.example.com/epochs', 1)
    const both = `log ${vkeyOf(other)}\n${policy}`
    const foreign = sealer(
      { ...gate, key: { ...other, name: other.name } },
      { epochsAt: 'other.example.com' },
    ).seal(account)
    const mixed = { checkpoint: seal(account).checkpoint, epoch: foreign.epoch }
    expect(await refusalOf(proof(account, 3, mixed), { policy: both })).toBe(
      'seq 3: its epoch is of other.example.com/epochs',
    )
  })

  test('whose salt has another length', async () => {
    for (const salt of [Buffer.alloc(31), Buffer.alloc(33)]) {
      const short = sealer(gate, { salt })
      expect(await refusalOf(short.proof(account, 3))).toBe('seq 3: its epoch has no salt of 32 bytes')
    }
  })
})

describe('a checkpoint', () => {
  const alone = policyOf({ ...gate, witnesses: [] })
  const checkpointAt = (size: number, of = account) => seal(of, size).checkpoint
  const between = (from: number, to: number) =>
    consistencyOf(from, leavesOf(account).slice(0, to))
      .map((hash) => `${hash.toString('base64')}\n`)
      .join('')

  test('says how much it seals and when, and that it continues the one that was kept', async () => {
    const options = { policy: alone, checkpoints: [checkpointAt(13)], consistency: between(13, 20) }
    expect(await verifyFile(bytesOf(Buffer.from(checkpointAt(20))), options)).toEqual({
      ok: true,
      what: 'checkpoint',
      words: [
        'gate.example.com/ledger/acct_0123456789ABCDEF: 20 leaves, sealed at 2026-11-23T04:00:00Z.',
        'It continues the checkpoint of 13 leaves that you kept.',
      ],
      facts: expect.objectContaining({ size: 20, continues: 13 }),
    })
    for (let from = 1; from <= 20; from += 1) {
      const each = { policy: alone, checkpoints: [checkpointAt(from)], consistency: between(from, 20) }
      expect(await refusalOf(checkpointAt(20), each)).toBe('accepted')
    }
  })

  test('is refused where it was rolled back, rewritten, of another ledger, or without its witnesses', async () => {
    const kept = (checkpoint: string, consistency = '') => ({
      policy: alone,
      checkpoints: [checkpoint],
      consistency,
    })
    expect(await refusalOf(checkpointAt(13), kept(checkpointAt(20)))).toMatch(/it was rolled back$/)
    const fork = relinked(13, { at: '2026-11-23T03:00:12.500Z' })
    expect(await refusalOf(checkpointAt(20), kept(checkpointAt(13, fork), between(13, 20)))).toMatch(
      /does not continue/,
    )
    expect(await refusalOf(checkpointAt(20), kept(checkpointAt(20, fork)))).toMatch(/does not continue/)
    expect(await refusalOf(checkpointAt(20), kept(checkpointAt(13), between(12, 20)))).toMatch(
      /does not continue/,
    )
    expect(await refusalOf(checkpointAt(20), kept(checkpointAt(13), 'x'))).toMatch(/has another form/)
    const other = newAccount(13, 'acct_ZZZZZZZZZZZZZZZZ')
    expect(await refusalOf(checkpointAt(20), kept(checkpointAt(13, other)))).toMatch(
      /the one that you kept is of/,
    )
    const pathless = { policy: alone, checkpoints: [checkpointAt(13)] }
    await expect(verifyFile(bytesOf(Buffer.from(checkpointAt(20))), pathless)).rejects.toThrow(
      /--consistency/,
    )
    expect(await refusalOf(checkpointAt(20))).toMatch(/the quorum all-of-them is not met/)
    const larger = checkpointAt(20).replace('\n20\n', '\n21\n')
    expect(await refusalOf(larger, { policy: alone })).toMatch(/does not verify/)
  })

  test('of epochs continues an earlier one by the path between them, and a proof is of one history with either', async () => {
    const log = sealer(gate)
    const [epochOf, leaves] = [
      (sealed: { epoch: string }) => sealed.epoch.split('\n\n').slice(1).join('\n\n'),
      log.epochs,
    ]
    const first = epochOf(log.seal(account, 20))
    const early = log.proof(account, 3)
    const late = epochOf(log.seal(account, 40))
    const text = (from: number, to: number) =>
      consistencyOf(from, leaves.slice(0, to))
        .map((hash) => `${hash.toString('base64')}\n`)
        .join('')
    expect(leaves).toHaveLength(5)
    const kept = { policy, checkpoints: [first], consistency: text(3, 5) }
    expect(await refusalOf(late, kept)).toBe('accepted')
    expect(
      await refusalOf(log.proof(account, 3), { policy, checkpoints: [late], consistency: text(5, 6) }),
    ).toBe('accepted')
    expect(await refusalOf(early, { policy, checkpoints: [late], consistency: text(4, 5) })).toBe('accepted')
    expect(await refusalOf(early, { policy, checkpoints: [late], consistency: text(3, 5) })).toMatch(
      /does not continue/,
    )
    const other = sealer(gate, { salt: sha('another salt') })
    other.seal(account, 20)
    const forked = epochOf(other.seal(account, 20))
    expect(await refusalOf(late, { policy, checkpoints: [forked], consistency: text(4, 5) })).toMatch(
      /the history was rewritten/,
    )
    expect(await refusalOf(early, { policy, checkpoints: [forked], consistency: '' })).toMatch(
      /the history was rewritten/,
    )
    const foreign = sealer(gate).seal(newAccount(9, 'acct_ZZZZZZZZZZZZZZZZ')).checkpoint
    expect(await refusalOf(early, { policy, checkpoints: [foreign] })).toMatch(/which the proof is not of/)
    await expect(verifyFile(bytesOf(Buffer.from(early)), { policy, checkpoints: [late] })).rejects.toThrow(
      /give --consistency/,
    )
  })

  test('of epochs meets the quorum of its witnesses', async () => {
    const epoch = seal(account).epoch.split('\n\n').slice(1).join('\n\n')
    expect(await refusalOf(epoch)).toBe('accepted')
  })
})

test('an account that gained an entry after its seal is told apart from one that did not', async () => {
  const grown = structuredClone(account)
  const sealed = seal(account)
  append(grown, 'proposed', 99)
  const verdict = await verifyFile(bytesOf(fileOf(exportLines(grown, [sealed]))), { policy })
  expect(verdict).toMatchObject({ ok: false, place: 'seq 21', sealed: false })
})
