import { appendFileSync, readFileSync, statSync } from 'node:fs'
import { z } from 'zod'
import type { Db } from '../db/connect.ts'
import { readArchivedTo } from '../db/queries/ledger/archive.ts'
import { readHashes } from '../db/queries/ledger/ledger.ts'
import { GateError } from '../errors.ts'
import { parseExactJson } from '../gate/json/exact-json.ts'
import { type Anchor, anchorHash, anchorSeq } from './anchor.ts'
import type { Finding } from './checker.ts'

/** An anchors file: about 100,000 heads. */
const anchorsFileBytesMax = 16_777_216
const anchorsPerPage = 1_000

/** One line of an anchors file: the ledger head of an account at a point in time. */
export interface AnchorLine extends Anchor {
  account: string
  /** When the line was written; UTC, ISO 8601. */
  at: string
}

const anchorLine = z.strictObject({
  account: z.string().regex(/^acct_[0-9A-Za-z]{16}$/),
  seq: anchorSeq,
  hash: anchorHash,
  at: z.iso.datetime(),
}) satisfies z.ZodType<AnchorLine>

export interface AnchorReport {
  file: string
  compared: number
  /** Anchors of archived entries, which `ledger verify --archive --anchor` compares; absent if there are none. */
  archived?: number
  added: number
  /** Ledgers that no longer contain an anchor. `place` is the account. */
  faults: Finding[]
}

/**
 * Compares the anchors in a file with the ledgers. If all match, the current heads are added to the file, which is created
 * if it does not exist.
 * @throws GateError `invalid` if the file is too large or is not an anchors file
 */
export async function keepAnchors(
  db: Db,
  file: string,
  heads: { account: string; seq: number; hash: string }[],
): Promise<AnchorReport> {
  const text = textOf(file)
  const kept = anchorsIn(file, text)
  const faults: Finding[] = []
  let archived = 0
  for (const [account, anchors] of kept) {
    const result = await compare(db, account, anchors)
    archived += result.archived
    if (result.fault) faults.push(result.fault)
  }
  const compared = [...kept.values()].reduce((sum, anchors) => sum + anchors.length, -archived)
  const report = { file, compared, ...(archived > 0 ? { archived } : {}) }
  const newer = heads.filter(({ account, seq }) => seq > (kept.get(account)?.at(-1)?.seq ?? 0))
  if (faults.length > 0) return { ...report, added: 0, faults }
  const at = new Date().toISOString()
  const lines = newer.map(({ account, seq, hash }): AnchorLine => ({ account, seq, hash, at }))
  // A last line that was written by hand may lack a line break.
  const end = text === '' || text.endsWith('\n') ? '' : '\n'
  appendFileSync(file, end + lines.map((line) => `${JSON.stringify(line)}\n`).join(''))
  return { ...report, added: lines.length, faults }
}

/** The anchors of a file by account, by seq. */
function anchorsIn(file: string, whole: string): Map<string, Anchor[]> {
  const byAccount = new Map<string, Anchor[]>()
  for (const [i, text] of whole.split('\n').entries()) {
    if (text === '') continue
    const { account, ...anchor } = parseLine(file, i + 1, text)
    const anchors = byAccount.get(account)
    if (anchors) anchors.push(anchor)
    else byAccount.set(account, [anchor])
  }
  for (const anchors of byAccount.values()) anchors.sort((a, b) => a.seq - b.seq)
  return byAccount
}

/** Empty if the file does not exist. */
function textOf(file: string): string {
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0
  if (bytes > anchorsFileBytesMax) {
    throw new GateError(
      'invalid',
      `${file} is larger than ${anchorsFileBytesMax} bytes. Keep it, and use a new file from now on.`,
    )
  }
  return bytes === 0 ? '' : readFileSync(file, 'utf8')
}

function parseLine(file: string, n: number, text: string): AnchorLine {
  try {
    return anchorLine.parse(parseExactJson(text))
  } catch (cause) {
    const problem = `Line ${n} of ${file} is not an anchor written by gate doctor. Nothing was compared or added.`
    throw Object.assign(new GateError('invalid', problem), { cause })
  }
}

async function compare(
  db: Db,
  account: string,
  anchors: Anchor[],
): Promise<{ archived: number; fault: Finding | null }> {
  const archivedTo = await readArchivedTo(db, account)
  let archived = 0
  for (let from = 0; from < anchors.length; from += anchorsPerPage) {
    const page = anchors.slice(from, from + anchorsPerPage)
    const hashes = await readHashes(
      db,
      account,
      page.map(({ seq }) => seq),
    )
    for (const { seq, hash } of page) {
      const found = hashes.get(seq)
      if (found === undefined && seq <= archivedTo) archived++
      else if (found !== hash) return { archived, fault: mismatch(account, seq, found) }
    }
  }
  return { archived, fault: null }
}

function mismatch(account: string, seq: number, found: string | undefined): Finding {
  const problem =
    found === undefined
      ? `its ledger no longer contains seq ${seq}`
      : `the hash of seq ${seq} does not match the anchor`
  return { place: account, problem }
}
