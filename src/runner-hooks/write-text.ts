import { escapeInvisible } from '../text/escape-invisible.ts'
import type { Answer } from './dialect.ts'

/**
 * The answer for hooks that read text: `allow`, and nothing else permits. Pure.
 * @returns `allow`; `defer` and the number of the action; or one line of reason that is neither
 */
export function writeText({ decision, reason, actionId }: Answer & { actionId?: number | null }): string {
  if (decision === 'allow') return 'allow'
  if (decision === 'defer' && typeof actionId === 'number') return `defer ${actionId}`
  const line = escapeInvisible(reason.replace(/\s+/gu, ' ').trim())
  return /^(allow|defer\b.*)?$/i.test(line) ? `Denied: ${line || 'no reason given.'}` : line
}
