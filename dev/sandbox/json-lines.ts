import { closeSync, openSync, readFileSync, renameSync, writeFileSync, writeSync } from 'node:fs'

/**
 * A file of JSON Lines with one line per request, so that a crash keeps all of a request or nothing.
 * @param path  absent: nothing is stored
 */
export function openJsonLines<Line>(path?: string) {
  let file: number | undefined
  return {
    /** All lines; none without a file. An incomplete last line is ignored: a crash cut it off. */
    read: (): Line[] => (path ? readLines<Line>(path) : []),

    /** Replaces the file, so that it stays as bounded as the memory and no append follows an incomplete line. */
    rewrite(lines: Line[]): void {
      if (!path) return
      writeFileSync(`${path}.new`, lines.map(asLine).join(''), { mode: 0o600 })
      renameSync(`${path}.new`, path)
      file = openSync(path, 'a', 0o600)
    },

    /** Call after `rewrite`. Returns when the line is written. */
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
