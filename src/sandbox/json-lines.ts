import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'

/**
 * A file of JSON lines, one for what one request left behind: a kill keeps all of a line or nothing of it.
 * @param path  absent = nothing is kept
 */
export function openJsonLines<Line>(path?: string) {
  let file: number | undefined
  return {
    /** All lines; none where there is no file. Text after the last line break was cut off by a kill: it is left out. */
    read: (): Line[] => (path ? readLines<Line>(path) : []),

    /** Replaces the file, so that it is as bounded as the memory and no append runs into a torn last line. */
    rewrite(lines: Line[]): void {
      if (!path) return
      writeFileSync(`${path}.new`, lines.map(asLine).join(''), { mode: 0o600 })
      renameSync(`${path}.new`, path)
      file = openSync(path, 'a', 0o600)
    },

    /** After `rewrite`. Returns when the line is written. */
    append(line: Line): void {
      if (file !== undefined) writeSync(file, asLine(line))
    },

    close(): void {
      if (file !== undefined) closeSync(file)
    },
  }
}

const asLine = (line: unknown) => `${JSON.stringify(line)}\n`

function readLines<Line>(path: string): Line[] {
  let stored: string
  try {
    stored = readFileSync(path, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
  const lines = stored.slice(0, stored.lastIndexOf('\n') + 1).split('\n')
  return lines.filter((line) => line !== '').map((line) => JSON.parse(line) as Line)
}
