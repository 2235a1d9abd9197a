import type { Answer } from './dialect.ts'

/** For runners that cannot defer a call: it is denied, and the agent may repeat it. */
export const withoutDefer = (answer: Answer): { decision: 'allow' | 'deny'; reason: string } => ({
  decision: answer.decision === 'allow' ? 'allow' : 'deny',
  reason: answer.reason,
})
