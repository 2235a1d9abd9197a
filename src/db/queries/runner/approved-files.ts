import { readKeptInput } from '../../../gate/runner-calls/kept-input.ts'
import type { Db } from '../../connect.ts'

/** Approved calls in which it is looked for what the files of a call were before. */
const approvedCallsReadMax = 200

/** A file as it was when its member last approved a call that runs it. */
export interface ApprovedFile {
  sha256: string
  action: number
  /** How it began; null: it is not known. */
  start: string | null
}

/** By path. */
export type ApprovedFiles = ReadonlyMap<string, ApprovedFile>

/** The files of a folder that the last approved calls of a member ran. */
export async function readApprovedFiles(
  db: Db,
  account: string,
  { memberId, cwd, paths }: { memberId: string; cwd: string | null; paths: string[] },
): Promise<ApprovedFiles> {
  const found = new Map<string, ApprovedFile>()
  if (paths.length === 0) return found
  const rows = await db.read<{
    id: number
    cwd: string | null
    files: { path: string; sha256?: string }[] | null
    input: string | null
  }>(
    (sql) => sql`
      select c.* from gate.tenant(${account}) t(id),
      lateral (
        select a.id, a.payload ->> 'cwd' as cwd, a.payload -> 'files' as files, a.input from gate.action a
        where a.account_id = t.id and a.member_id = ${memberId} and a.kind = 'runner_tool' and a.decision = 'confirm'
        order by a.decided_at desc
        limit ${approvedCallsReadMax} offset 0
      ) c
      where c.files is not null`,
  )
  for (const row of rows.filter((one) => one.cwd === cwd))
    for (const { path, sha256 } of row.files!)
      if (sha256 !== undefined && paths.includes(path) && !found.has(path))
        found.set(path, { sha256, action: row.id, start: startIn(row.input, path) })
  return found
}

const startIn = (input: string | null, path: string): string | null =>
  input === null ? null : (readKeptInput(input).starts.find((start) => start.path === path)?.text ?? null)
