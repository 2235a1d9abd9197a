import crypto from 'node:crypto'
import { syncBuiltinESMExports } from 'node:module'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Options, type Verdict, exportChecker, verifyFile } from '../lib/verify.mjs'
import {
  type Account,
  append,
  exportLines,
  exportText,
  newAccount,
  newGate,
  newKey,
  policyOf,
  sealer,
  sha,
  signatureLine,
} from './log.ts'

// One bit changes one of five signatures: the four others were verified before, and are not again. Nor does anyone read
// where in the code a file is refused.
const { verify: verifySignature } = crypto
const { stackTraceLimit } = Error
beforeAll(() => {
  const verified = new Map<string, boolean>()
  const text = (bytes: unknown) => Buffer.from(bytes as Uint8Array).toString('latin1')
  const known = (algorithm: null, message: Uint8Array, key: crypto.KeyObject, signature: Uint8Array) => {
    const [{ x }, parts] = [key.export({ format: 'jwk' }), [message, signature].map(text)]
    const id = [x, ...parts].join('\0')
    const isValid = verified.get(id) ?? verifySignature(algorithm, message, key, signature)
    verified.set(id, isValid)
    return isValid
  }
  crypto.verify = known as typeof crypto.verify
  syncBuiltinESMExports()
  Error.stackTraceLimit = 0
})
afterAll(() => {
  crypto.verify = verifySignature
  syncBuiltinESMExports()
  Error.stackTraceLimit = stackTraceLimit
})

async function* bytesOf(text: string | Uint8Array) {
  yield Buffer.from(text)
}

const verify = (text: string | Uint8Array, options: Options): Promise<Verdict> =>
  verifyFile(bytesOf(text), options)

const gate = newGate('gate.example.com', 1)
const policy = policyOf(gate)
const account = newAccount(70)
const { seal, proof } = sealer(gate)
const lines = exportLines(account, [seal(account)])
const whole = exportText(lines)

/** Every change of one bit of these bytes, with its place. */
function* flips(bytes: Buffer): Generator<[changed: Buffer, byte: number, bit: number]> {
  for (let byte = 0; byte < bytes.length; byte += 1) {
    for (let bit = 0; bit < 8; bit += 1) {
      const changed = Buffer.from(bytes)
      changed[byte]! ^= 1 << bit
      yield [changed, byte, bit]
    }
  }
}

/** Whether a checker refuses the first line of these bytes. It is then as it was. */
async function refuses(checker: ReturnType<typeof exportChecker>, bytes: Buffer): Promise<boolean> {
  const end = bytes.indexOf(10)
  try {
    await checker.take(end < 0 ? bytes : bytes.subarray(0, end))
    return false
  } catch {
    return true
  }
}

async function checkerAt(line: number): Promise<ReturnType<typeof exportChecker>> {
  const checker = exportChecker({ policy })
  for (const before of whole.split('\n').slice(0, line)) await checker.take(Buffer.from(before))
  return checker
}

/** The file of these lines, with a last line that fits. */
function fileOf(parts: (string | Uint8Array)[]): Buffer {
  const body = Buffer.concat(parts.flatMap((part) => [Buffer.from(part), Buffer.of(10)]))
  const count = body.filter((byte) => byte === 10).length
  return Buffer.concat([
    body,
    Buffer.from(`${JSON.stringify({ end: { lines: count, sha256: sha(body).toString('hex') } })}\n`),
  ])
}

const replaced = (line: number, bytes: Uint8Array) => lines.map((text, i) => (i === line ? bytes : text))

describe('a sealed export of 70 entries', () => {
  beforeAll(async () => {
    expect(await verify(whole, { policy })).toMatchObject({ ok: true })
    expect(lines).toHaveLength(72)
  })

  // The lines before the changed one are as they were, so the file is refused where that line is. Where it is not, the whole
  // file is verified, with a last line that was made to fit: anyone who changes a file can do that.
  test('every change of one bit is found, but one of the time of the export', async () => {
    const unfound: number[] = []
    let changes = 0
    for (const [i, line] of lines.entries()) {
      let checker = await checkerAt(i)
      for (const [changed, byte] of flips(Buffer.from(line))) {
        changes += 1
        if (await refuses(checker, changed)) continue
        const verdict = await verify(fileOf(replaced(i, changed)), { policy })
        if (verdict.ok) unfound.push(i === 0 ? byte : Number.NaN)
        checker = await checkerAt(i)
      }
    }
    const from = lines[0]!.indexOf('"exported_at":"') + '"exported_at":"'.length
    expect(unfound.filter((byte) => !(byte >= from && byte < from + 24))).toEqual([])
    expect(changes).toBe(
      lines.join('').length * 8 + (Buffer.byteLength(lines.join('')) - lines.join('').length) * 8,
    )
  })

  test('damage of one bit is found everywhere: in the first line, in the last one, and between lines', async () => {
    const bytes = Buffer.from(whole)
    const [first, last] = [bytes.indexOf(10), bytes.lastIndexOf(10, -2)]
    const found = []
    for (const at of [...bytes.keys()].filter((at) => at <= first || at >= last || bytes[at] === 10)) {
      for (let bit = 0; bit < 8; bit += 1) {
        const changed = Buffer.from(bytes)
        changed[at]! ^= 1 << bit
        const verdict = await verify(changed, { policy })
        if (verdict.ok) found.push({ at, bit })
      }
    }
    expect(found).toEqual([])
  })

  test('every deletion, every swap of neighbours and every repetition of a line is found', async () => {
    const passed = []
    for (let i = 0; i < lines.length; i += 1) {
      const without = lines.toSpliced(i, 1)
      const swapped = i === 0 ? [] : lines.toSpliced(i - 1, 2, lines[i]!, lines[i - 1]!)
      const repeated = lines.toSpliced(i, 0, lines[i]!)
      for (const [what, changed] of Object.entries({ without, swapped, repeated })) {
        const verdict = await verify(fileOf(changed), { policy })
        if (verdict.ok) passed.push(`${what} ${i}`)
      }
    }
    expect(passed).toEqual([])
  })

  test('the first wrong entry is named: deleted, swapped, repeated, changed', async () => {
    const verdictOf = (changed: string[]) => verify(fileOf(changed), { policy })
    const [entry, next] = [lines[17]!, lines[18]!]
    expect(await verdictOf(lines.toSpliced(17, 1))).toEqual({
      ok: false,
      place: 'seq 17',
      problem: 'it is missing',
    })
    expect(await verdictOf(lines.toSpliced(17, 2, next, entry))).toMatchObject({ place: 'seq 17' })
    expect(await verdictOf(lines.toSpliced(17, 0, entry))).toEqual({
      ok: false,
      place: 'seq 18',
      problem: 'seq 17 is in its place',
    })
    expect(await verdictOf(lines.with(17, entry.replace('mem_0', 'mem_1')))).toEqual({
      ok: false,
      place: 'seq 17',
      problem: 'its hash does not match its content',
    })
  })

  test('an entry that is added, and linked again, is found by the seal', async () => {
    const forged = structuredClone(account)
    const [moved] = forged.entries.splice(30)
    append(forged, 'confirmed', 9, { strength: 'page' })
    for (const { kind, action_id: action } of [moved!, ...account.entries.slice(31)])
      append(forged, kind, action)
    expect(await verify(fileOf([...exportLines(forged, []), lines[71]!]), { policy })).toEqual({
      ok: false,
      place: 'seal 1',
      problem: 'its root is another one: an entry among seq 1 to 70 is not the one that was sealed',
    })
  })

  test('every cut is found: after each line, and in each of the last lines', async () => {
    const bytes = Buffer.from(whole)
    const ends = [...bytes.keys()].filter((at) => bytes[at] === 10)
    const inLast = [...bytes.keys()].filter((at) => at > ends.at(-4)! && at < bytes.length - 2)
    for (const at of [0, ...ends.slice(0, -1), ...ends.map((end) => end - 5), ...inLast]) {
      const verdict = await verify(bytes.subarray(0, at + 1), { policy })
      expect({ at, ok: verdict.ok }).toEqual({ at, ok: false })
    }
    const shorter: Account = { ...account, entries: account.entries.slice(0, 60) }
    const cut = fileOf([...exportLines(shorter, []), lines[71]!])
    expect(await verify(cut, { policy })).toEqual({
      ok: false,
      place: 'seq 61',
      problem: 'it is missing: seal 1 has 70 entries',
    })
  })

  test('an older export is true, but not for a reader who kept a newer checkpoint', async () => {
    const older: Account = { ...account, entries: account.entries.slice(0, 40) }
    const text = fileOf(exportLines(older, [seal(older)]))
    const kept = seal(account).checkpoint
    expect(await verify(text, { policy })).toMatchObject({ ok: true })
    expect(await verify(text, { policy, checkpoints: [kept] })).toEqual({
      ok: false,
      place: 'seq 41',
      problem: 'it is missing: checkpoint 1 has 70 entries',
    })
    expect(await verify(whole, { policy, checkpoints: [kept, seal(account, 40).checkpoint] })).toMatchObject({
      ok: true,
    })
  })

  test('a fork after a restore is found by a checkpoint that was kept, by both seals in one file, and by witnesses', async () => {
    const restored: Account = { ...account, entries: account.entries.slice(0, 50) }
    for (let i = 0; i < 25; i += 1) append(restored, 'proposed', 100 + i)
    const fork = sealer(gate)
    const forked = exportLines(restored, [fork.seal(restored)])
    const kept = seal(account).checkpoint
    expect(await verify(fileOf(forked), { policy, checkpoints: [kept] })).toEqual({
      ok: false,
      place: 'checkpoint 1',
      problem: 'its root is another one: an entry among seq 1 to 70 is not the one that was sealed',
    })
    const both = [...forked.slice(0, 76), lines[71]!, forked[76]!]
    expect(await verify(fileOf(both), { policy })).toMatchObject({ ok: false, place: 'seal 1' })
    expect(await verify(fileOf([...forked.slice(0, 76), lines[71]!]), { policy })).toMatchObject({
      ok: false,
    })
    const unwitnessed = sealer({ ...gate, witnesses: [] })
    expect(await verify(fileOf(exportLines(restored, [unwitnessed.seal(restored)])), { policy })).toEqual({
      ok: false,
      place: 'seal 1',
      problem: 'the quorum all-of-them is not met: its seal is cosigned by no witness of the policy',
    })
  })

  test('the seal of a second signer is found, whatever names it takes', async () => {
    const second = { ...newGate(gate.host, 0), witnesses: gate.witnesses }
    const sealed = exportLines(account, [sealer(second).seal(account)])
    expect(await verify(fileOf(sealed), { policy })).toEqual({
      ok: false,
      place: 'seal 1',
      problem:
        'no log of the policy has signed its checkpoint of gate.example.com/ledger/acct_0123456789ABCDEF',
    })
    const other = sealer({ ...gate, host: 'other.example.com' }).seal(account)
    expect(await verify(fileOf(exportLines(account, [other])), { policy })).toEqual({
      ok: false,
      place: 'seal 1',
      problem: 'the policy has no log other.example.com/ledger/acct_0123456789ABCDEF',
    })
    const another = newAccount(70, 'acct_ZZZZZZZZZZZZZZZZ')
    expect(await verify(fileOf(exportLines(account, [seal(another)])), { policy })).toMatchObject({
      ok: false,
      place: 'seal 1',
    })
  })

  test('a seal before the last one is checked as well: only lines of witnesses may be lost to it', async () => {
    const older = JSON.stringify({ seal: seal(account, 40) })
    const parts = [...lines.slice(0, 71), older, lines[71]!]
    const said = await verify(fileOf(parts), { policy })
    expect(said).toMatchObject({ ok: true })
    for (const at of Array.from({ length: older.length / 10 }, (_, i) => i * 10)) {
      const changed = Buffer.from(older)
      changed[at]! ^= 1
      const verdict = await verify(fileOf(parts.with(71, changed as never)), { policy })
      if (verdict.ok)
        expect({ at, line: verdict.words[0] }).toEqual({ at, line: (said as { words: string[] }).words[0] })
    }
  })

  test('a file without a seal proves nothing', async () => {
    expect(await verify(fileOf(exportLines(account, [])), { policy })).toMatchObject({
      ok: false,
      place: 'seal 1',
    })
  })
})

describe('the proof of an entry', () => {
  test('every change of one bit of the file is found, and one of each byte that it carries', async () => {
    const text = proof(account, 3)
    expect(await verify(text, { policy })).toMatchObject({ ok: true })
    const passed = []
    for (const [changed, byte, bit] of flips(Buffer.from(text)))
      if ((await verify(changed, { policy })).ok) passed.push({ byte, bit })
    const extra = Buffer.from(text.split('\n')[1]!.slice('extra '.length), 'base64')
    for (const [changed, byte, bit] of flips(extra)) {
      if (bit !== byte % 8) continue
      const carried = text.replace(extra.toString('base64'), changed.toString('base64'))
      if ((await verify(carried, { policy })).ok) passed.push({ byte, bit })
    }
    expect(passed).toEqual([])
  })

  test('the entry of another proof is refused', async () => {
    const [mine, other] = [proof(account, 3), proof(account, 6)]
    const swapped = mine.replace(mine.split('\n')[1]!, other.split('\n')[1]!)
    expect(await verify(swapped, { policy })).toMatchObject({ ok: false, place: 'seq 6' })
    const moved = swapped.replace('index 2', 'index 5')
    expect(await verify(moved, { policy })).toMatchObject({ ok: false, place: 'seq 6' })
  })

  test('without its epoch it meets no quorum of witnesses', async () => {
    const { checkpoint } = seal(account)
    expect(await verify(proof(account, 3, { checkpoint }), { policy })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('the quorum all-of-them is not met'),
    })
    const alone = policyOf({ ...gate, witnesses: [] })
    expect(await verify(proof(account, 3, { checkpoint }), { policy: alone })).toMatchObject({ ok: true })
  })

  test('the epoch of another account, size or root is refused', async () => {
    const { checkpoint } = seal(account)
    for (const other of [seal(account, 69), seal(newAccount(70, 'acct_ZZZZZZZZZZZZZZZZ'))])
      expect(await verify(proof(account, 3, { checkpoint, epoch: other.epoch }), { policy })).toEqual({
        ok: false,
        place: 'seq 3',
        problem: 'the epoch does not contain its seal',
      })
  })

  test('two logs of a policy, of which one has signed, are enough: keys are rotated', async () => {
    const [, ...rest] = policy.split('\n')
    const next = newGate(gate.host, 0)
    const rotated = [...policyOf(next).split('\n').slice(0, 1), policy.split('\n')[0], ...rest].join('\n')
    expect(await verify(proof(account, 3), { policy: rotated })).toMatchObject({ ok: true })
  })

  test('a checkpoint without the time of its log is refused', async () => {
    const { checkpoint: signed } = seal(account)
    const [clock] = signed.split('\n').filter((line) => line.startsWith(`— ${gate.host}/epochs `))
    const timeless = { checkpoint: signed.replace(`${clock}\n`, '') }
    const alone = policyOf({ ...gate, witnesses: [] })
    expect(await verify(proof(account, 3, timeless), { policy: alone })).toMatchObject({
      ok: false,
      problem: expect.stringContaining('has signed the time of its checkpoint'),
    })
  })

  test('lines of keys that the policy does not have are ignored', async () => {
    const sealed = seal(account)
    const stranger = newKey('stranger.example', 4)
    const [text] = sealed.checkpoint.split('\n\n')
    const more = { ...sealed, checkpoint: sealed.checkpoint + signatureLine(`${text}\n`, stranger, 5) }
    expect(await verify(proof(account, 3, more), { policy })).toMatchObject({ ok: true })
  })

  test('a policy that has the log of the account alone says that it did not check the epoch', async () => {
    const name = `${gate.host}/ledger/${account.account}`
    const narrow = policyOf({ ...gate, key: { ...gate.key, name }, witnesses: [] })
    expect(await verify(proof(account, 3), { policy: narrow })).toMatchObject({
      ok: true,
      words: expect.arrayContaining([
        'The epoch was not checked: the policy has no log gate.example.com/epochs.',
      ]),
    })
    const other = policyOf({ ...gate, key: { ...gate.key, name: `${name}x` }, witnesses: [] })
    expect(await verify(proof(account, 3), { policy: other })).toMatchObject({ ok: false })
  })
})
