import { escapeInvisible } from '../text/escape-invisible.ts'
import type { Answer } from './dialect.ts'

/**
 * The answer for hooks that read text: `allow`, and nothing else permits. Pure.
 * @returns `allow`, or one line of reason that is never `allow`
 */
export function writeText({ decision, reason }: Answer): string {
  if (decision === 'allow') return 'allow'
  const line = escapeInvisible(reason.replace(/\s+/gu, ' ').trim())
  return /^(allow)?$/i.test(line) ? `Denied: ${line || 'no reason given.'}` : line
}
