import { createReadStream } from 'node:fs'
import { z } from 'zod'
import { exactJsonOrUndefined } from '../gate/exact-json.ts'
import type { Anchor } from './anchor.ts'
import type { Link } from './chain.ts'
import { type Finding, ledgerChecker } from './checker.ts'
import type { ExportHeader } from './export.ts'
import type { Verdict } from './verify.ts'
import { limits } from '../limits.ts'

const hex = z.string().regex(/^[0-9a-f]{64}$/)
const instant = z.iso.datetime({ precision: 3 })
const whole = z.int().min(0)
const headerLine = z.strictObject({
  v: z.literal(1),
  account: z.string().regex(/^acct_[0-9A-Za-z]{16}$/),
  seq: whole,
  hash: hex,
  exported_at: instant,
}) satisfies z.ZodType<ExportHeader>
/** A line of an export, or of a file of an archive. */
export const entryLine = z.strictObject({
  seq: whole,
  at: instant,
  kind: z.string(),
  action_id: z.int().positive().nullable(),
  entry: z.string(),
  prev: hex,
  hash: hex,
}) satisfies z.ZodType<Link>

/** The lines that a sealed export has after its entries. Their verifier is a program of its own: see packages/verify. */
const afterEntries = z.union([
  z.strictObject({ seal: z.strictObject({ checkpoint: z.string(), epoch: z.string().optional() }) }),
  z.strictObject({ end: z.strictObject({ lines: whole, sha256: hex }) }),
])

/**
 * Verifies an export: every hash, the states of every action, and that no entry is missing at the end. Needs no database,
 * and memory for one line only.
 * @param file  a path
 * @param anchors  heads of the chain that were stored elsewhere
 * @throws Error if the file cannot be read
 * @source docs/cli.md#verify-the-ledger
 */
export async function verifyExport(file: string, anchors: Anchor[] = []): Promise<Verdict> {
  const lines = jsonLines(file)
  const first = await lines.next()
  const header = headerLine.safeParse(first.value)
  if (!header.success) {
    const problem = 'the first line is not the header of a ledger export'
    return { account: '', seq: 0, hash: '', ok: false, place: 'header', problem }
  }
  const { account, seq, hash } = header.data
  const fault = await checkLines(lines, header.data, anchors)
  return fault ? { account, seq, hash, ok: false, ...fault } : { account, seq, hash, ok: true }
}

async function checkLines(
  lines: AsyncIterable<unknown>,
  header: ExportHeader,
  anchors: Anchor[],
): Promise<Finding | null> {
  const checker = ledgerChecker(header.account, { anchors })
  for await (const line of lines) {
    if (checker.seq === header.seq && afterEntries.safeParse(line).success) continue
    const link = entryLine.safeParse(line)
    const place = `seq ${checker.seq + 1}`
    if (!link.success) return { place, problem: 'the line is not an entry of a ledger export' }
    if (checker.seq === header.seq)
      return { place, problem: `the header announces ${header.seq} entries, but the file has more` }
    const fault = checker.check(link.data)
    if (fault) return fault
  }
  const fault = checker.endsAt(header)
  return fault?.place === 'head' ? { ...fault, place: 'header' } : fault
}

/** The JSON values of a file, one per line; undefined for an invalid line. Also reads a JSON array with one value per line. */
export async function* jsonLines(file: string): AsyncGenerator<unknown, undefined> {
  for await (const line of textLines(file)) {
    const bare = line
      .trim()
      .replace(/^\[/, '')
      .replace(/[\],]$/, '')
    if (bare !== '') yield exactJsonOrUndefined(bare)
  }
  return undefined
}

async function* textLines(file: string): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8')
  let rest = ''
  for await (const chunk of createReadStream(file)) {
    const parts = (rest + decoder.decode(chunk as Buffer, { stream: true })).split('\n')
    rest = parts.pop()!
    yield* parts
    if (rest.length > limits.exportLineCharsMax)
      throw new Error(`${file} has a line that is too long for a ledger entry.`)
  }
  yield rest + decoder.decode()
}
