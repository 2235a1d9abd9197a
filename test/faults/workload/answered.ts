import type { Reply } from './answers.ts'
import type { Lane } from './load.ts'

/** Notes an answer. What no caller should ever be answered is odd. */
export function answered({ journal }: Lane, entry: { reply: Reply } & Record<string, unknown>): void {
  const { status, code, body } = entry.reply
  journal.answered++
  journal.log(entry)
  if (status === 500 || code === 'internal')
    journal.odd('no request is answered with an internal error', JSON.stringify({ status, code, body }))
}
