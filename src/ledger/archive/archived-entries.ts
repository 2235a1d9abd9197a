import { appendFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { limits } from '../../limits.ts'
import type { Link } from '../chain.ts'

/**
 * Archived entries by the action that they are about, for comparing them with rows. They are in files of a temporary folder,
 * one for each page of actions, so that an archive of any size needs the memory of a page.
 */
export interface ArchivedEntries {
  put(link: Link): void
  /** The entries of the page of actions after `after`: a JSON object by id. */
  page(after: number): string
  /** Deletes the temporary folder. */
  close(): void
}

export function archivedEntries(): ArchivedEntries {
  const pending = new Map<string, string[]>()
  let folder: string | undefined
  let pendingCount = 0

  function flush(): void {
    folder ??= mkdtempSync(join(tmpdir(), 'gate-verify-'))
    for (const [name, lines] of pending) appendFileSync(join(folder, name), lines.join(''), { mode: 0o600 })
    pending.clear()
    pendingCount = 0
  }

  return {
    put({ seq, at, kind, action_id: id, entry }) {
      // Refusals change nothing of the row, and there may be any number of them.
      if (id === null || kind === 'decision_refused') return
      const name = pageName(id - 1)
      const lines = pending.get(name) ?? []
      pending.set(name, lines)
      lines.push(`${JSON.stringify({ id, seq, at, kind, entry })}\n`)
      if (++pendingCount >= limits.archiveEntriesPerFile) flush()
    },
    page(after) {
      if (pendingCount > 0) flush()
      if (folder === undefined) return '{}'
      const file = join(folder, pageName(after))
      return existsSync(file) ? byAction(readFileSync(file, 'utf8')) : '{}'
    },
    close() {
      if (folder !== undefined) rmSync(folder, { recursive: true, force: true })
    },
  }
}

const pageName = (after: number): string => String(Math.floor(after / limits.verifyActionsPerPage))

function byAction(text: string): string {
  const entries = new Map<number, object[]>()
  for (const line of text.split('\n').filter(Boolean)) {
    const { id, ...entry } = JSON.parse(line) as { id: number }
    const known = entries.get(id)
    if (known) known.push(entry)
    else entries.set(id, [entry])
  }
  return JSON.stringify(Object.fromEntries(entries))
}
