import { Refusal, linesOfFile } from '#verify'
import { createReadStream } from 'node:fs'
import { z } from 'zod'
import { exactJsonOrUndefined } from '../gate/json/exact-json.ts'
import type { Anchor } from './anchor.ts'
import type { Link } from './chain.ts'
import { type Finding, ledgerChecker } from './checker.ts'
import type { ExportHeader } from './export.ts'
import type { Verdict } from './verify.ts'

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

interface ExportOptions {
  /** Heads of the chain that were stored elsewhere. */
  anchors?: Anchor[]
  /** Whether entries after the last seal of a sealed export are accepted. */
  unsealed?: boolean
}

/**
 * Verifies an export: every hash, the states of every action, that no entry is missing at the end, and that a sealed one has no
 * entry after its seal, which anyone could have added. Needs no database, and memory for one line only.
 * @param file  a path
 * @throws Error if there is no such file
 * @source docs/cli.md#verify-the-ledger
 */
export async function verifyExport(file: string, options: ExportOptions = {}): Promise<Verdict> {
  try {
    return await verdictOnExport(jsonLines(file), options)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    return unreadable(error.problem)
  }
}

const unreadable = (problem: string): Verdict => ({
  account: '',
  seq: 0,
  hash: '',
  ok: false,
  place: 'file',
  problem,
  unreadable: true,
})

async function verdictOnExport(
  lines: AsyncGenerator<unknown, undefined>,
  options: ExportOptions,
): Promise<Verdict> {
  const first = await lines.next()
  if (typeof first.value !== 'object' || first.value === null) return unreadable('it is not a ledger export')
  const header = headerLine.safeParse(first.value)
  if (!header.success) {
    const problem = 'the first line is not the header of a ledger export'
    return { account: '', seq: 0, hash: '', ok: false, place: 'header', problem }
  }
  const { account, seq, hash } = header.data
  const { fault, sealedTo } = await checkLines(lines, header.data, options.anchors ?? [])
  if (fault) return { account, seq, hash, ok: false, ...fault }
  if (sealedTo === undefined) return { account, seq, hash, ok: true }
  const sealed = sealedTo >= seq
  if (sealed || options.unsealed) return { account, seq, hash, ok: true, sealed }
  const problem =
    'no seal of the file has it, and anyone can add entries after a seal. --unsealed accepts them'
  return { account, seq, hash, ok: false, place: `seq ${sealedTo + 1}`, problem, sealed }
}

/** @returns `sealedTo`: how many entries the last seal says that it has; undefined where there is none */
async function checkLines(
  lines: AsyncIterable<unknown>,
  header: ExportHeader,
  anchors: Anchor[],
): Promise<{ fault: Finding | null; sealedTo?: number }> {
  const checker = ledgerChecker(header.account, { anchors })
  let sealedTo: number | undefined
  for await (const line of lines) {
    const after = checker.seq === header.seq ? afterEntries.safeParse(line).data : undefined
    if (after && 'seal' in after) sealedTo = Number(after.seal.checkpoint.split('\n')[1])
    if (after) continue
    const link = entryLine.safeParse(line)
    const place = `seq ${checker.seq + 1}`
    if (!link.success) return { fault: { place, problem: 'the line is not an entry of a ledger export' } }
    if (checker.seq === header.seq)
      return {
        fault: { place, problem: `the header announces ${header.seq} entries, but the file has more` },
      }
    const fault = checker.check(link.data)
    if (fault) return { fault }
  }
  const fault = checker.endsAt(header)
  return {
    fault: fault?.place === 'head' ? { ...fault, place: 'header' } : fault,
    ...(sealedTo === undefined ? {} : { sealedTo }),
  }
}

/**
 * The JSON values of a file, one per line; undefined for a line that is not written as exports are. Also reads a JSON array with one
 * value per line.
 */
export async function* jsonLines(file: string): AsyncGenerator<unknown, undefined> {
  let isArray: boolean | undefined
  for await (const line of textLines(file)) {
    const isFirst = isArray === undefined
    isArray ??= line.startsWith('[')
    const json = isArray ? line.slice(isFirst ? 1 : 0).replace(/[\],]$/, '') : line
    const value = exactJsonOrUndefined(json)
    yield JSON.stringify(value) === json ? value : undefined
  }
  return undefined
}

async function* textLines(file: string): AsyncGenerator<string> {
  // Bytes that are not UTF-8 become U+FFFD, and fit no hash.
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
  for await (const line of linesOfFile(createReadStream(file))) yield decoder.decode(line)
}
