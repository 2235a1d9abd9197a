import { cpSync, mkdirSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'

const logsIn = (folder: string) => readdirSync(folder).filter((name) => name.endsWith('.log'))

/** Copies the logs of the processes, which go with their folder. */
export function keepLogs(from: string, to: string): void {
  mkdirSync(join(to, 'logs'), { recursive: true })
  for (const name of logsIn(from)) cpSync(join(from, name), join(to, 'logs', name))
}

export function linesOfLogs(folder: string, isWanted: (line: string) => boolean): string[] {
  return logsIn(folder).flatMap((name) =>
    readFileSync(join(folder, name), 'utf8')
      .split('\n')
      .filter(isWanted)
      .map((line) => `${name}: ${line}`),
  )
}
