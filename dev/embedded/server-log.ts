import { closeSync, fstatSync, openSync, readSync, renameSync, statSync } from 'node:fs'
import { limits } from '../../src/limits.ts'

export interface ServerLog {
  fd: number
  /** The end of what was written since it was opened, at most 16 KiB. Others may write too, such as backends of a killed server. */
  written(): string
  /** The last lines of it, to be shown. */
  tail(): string
  close(): void
}

/**
 * The log file of a server, so that it can keep writing if the process that started it is killed. A long file is renamed to
 * `<file>.1`.
 */
export function openServerLog(file: string): ServerLog {
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > limits.serverLogBytesMax)
    renameSync(file, `${file}.1`)
  const fd = openSync(file, 'a+', 0o600)
  const from = fstatSync(fd).size
  const written = () => readSince(fd, from)
  const tail = () => written().split('\n').filter(Boolean).slice(-8).join('\n')
  return { fd, written, tail, close: () => closeSync(fd) }
}

function readSince(fd: number, from: number): string {
  const size = fstatSync(fd).size
  const start = Math.max(from, size - limits.serverLogTailBytesMax)
  const bytes = Buffer.alloc(Math.max(0, size - start))
  readSync(fd, bytes, 0, bytes.length, start)
  return bytes.toString('utf8')
}
