import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { limits } from '../limits.ts'

/**
 * The log file of a server, so that it can keep writing if the process that started it is killed. A long file is renamed to
 * `<file>.1`.
 */
export function openServerLog(file: string): { fd: number; tail(): string; close(): void } {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > limits.serverLogBytesMax)
    renameSync(file, `${file}.1`)
  const fd = openSync(file, 'a+', 0o600)
  const from = fstatSync(fd).size
  return { fd, tail: () => readTail(fd, from), close: () => closeSync(fd) }
}

/** The end of the text written since `from`, without empty lines. */
function readTail(fd: number, from: number): string {
  const size = fstatSync(fd).size
  const start = Math.max(from, size - limits.serverLogTailBytesMax)
  const bytes = Buffer.alloc(Math.max(0, size - start))
  readSync(fd, bytes, 0, bytes.length, start)
  return bytes.toString('utf8').split('\n').filter(Boolean).slice(-8).join('\n')
}
