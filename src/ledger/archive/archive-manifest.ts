import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { z } from 'zod'
import type { ArchivedPart } from '../../db/queries/ledger/archive.ts'
import { exactJsonOrUndefined } from '../../gate/json/exact-json.ts'
import type { Finding } from '../checker.ts'

/** The file of an archive that names all others. */
export const manifestName = 'manifest.jsonl'

/** Where the archive of an account lies: each account has a folder of its own. */
export const archiveOf = (folder: string, account: string): string => join(folder, account)

/** The name of a file says what is in it: a file is never changed. */
export const fileNameOf = ({ first_seq, last_seq, file }: ArchivedPart): string =>
  `${padded(first_seq)}-${padded(last_seq)}-${file}.jsonl`

const padded = (seq: number) => String(seq).padStart(12, '0')

/** The manifest: the account, then one line for each file, oldest first. Pure. */
export const manifestText = (account: string, parts: ArchivedPart[]): string =>
  [headerText(account), ...parts.map(lineText)].join('')

/**
 * The digest of the manifest up to the line of each part, in hex: what the entry `ledger_archived` of the part records.
 * Later lines do not change it. Pure.
 */
export function manifestDigests(account: string, parts: ArchivedPart[]): string[] {
  const hash = createHash('sha256').update(headerText(account))
  return parts.map((part) => hash.update(lineText(part)).copy().digest('hex'))
}

const headerText = (account: string): string => `${JSON.stringify({ v: 1, account })}\n`

const lineText = (part: ArchivedPart): string => {
  const { first_seq, last_seq, hash, file } = part
  return `${JSON.stringify({ name: fileNameOf(part), first_seq, last_seq, hash, file })}\n`
}

const hex = z.string().regex(/^[0-9a-f]{64}$/)
const header = z.strictObject({ v: z.literal(1), account: z.string().regex(/^acct_[0-9A-Za-z]{16}$/) })
const line = z.strictObject({
  name: z.string(),
  first_seq: z.int().min(1),
  last_seq: z.int().min(1),
  hash: hex,
  file: hex,
})

export interface Manifest {
  account: string
  parts: ArchivedPart[]
}

/** Reads the manifest in an account's folder of an archive. Returns its first fault instead, if it has one. */
export function readManifest(folder: string): Manifest | Finding {
  const text = textOf(folder)
  if (text === undefined) return { place: manifestName, problem: `${folder} has no ${manifestName}` }
  const [first = '', ...rest] = text.split('\n')
  const head = header.safeParse(exactJsonOrUndefined(first))
  if (!head.success) return { place: manifestName, problem: 'its first line does not name an account' }
  if (rest.pop() !== '') return { place: manifestName, problem: 'its last line is cut' }
  const parts: ArchivedPart[] = []
  for (const [i, lineOf] of rest.entries()) {
    const read = line.safeParse(exactJsonOrUndefined(lineOf))
    const problem = read.success ? lineProblem(read.data, parts.at(-1)) : 'it does not name a file'
    if (problem !== null) return { place: `${manifestName} line ${i + 2}`, problem }
    const { name: _, ...part } = read.data!
    parts.push(part)
  }
  return { account: head.data.account, parts }
}

/** The manifest in an account's folder of an archive; undefined if there is none. */
export function textOf(folder: string): string | undefined {
  try {
    return readFileSync(join(folder, manifestName), 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  }
}

function lineProblem(part: z.infer<typeof line>, before: ArchivedPart | undefined): string | null {
  const due = (before?.last_seq ?? 0) + 1
  if (part.first_seq !== due)
    return `${part.name} begins with seq ${part.first_seq}, but seq ${due} must come next`
  if (part.last_seq < part.first_seq) return `${part.name} ends before it begins`
  return part.name === fileNameOf(part) ? null : `the name ${part.name} does not match the rest of the line`
}
