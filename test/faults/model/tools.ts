import type { Journal } from '../workload/journal.ts'
import type { Demand, Stored } from './record.ts'

/** Tool calls: one that needs a consent is allowed only by one, and each consent allows one call. */
export function judgeTools({ tools }: Journal, { rows, entries }: Stored, demand: Demand): void {
  const used = new Map<string, string>()
  const spent = new Set(
    entries
      .filter(({ kind }) => kind === 'grant_used')
      .map((entry) => `${entry.account_id} ${entry.action_id}`),
  )
  for (const asked of tools) {
    const { account, action, callId, decision, needsConsent } = asked
    if (!needsConsent || asked.outcome !== 'ok' || decision !== 'allow') continue
    const row = rows.find((one) => one.account_id === account && one.id === action)
    demand(row?.decision === 'confirm', 'a call that needs consent runs only with one', () => [asked, row])
    const name = `${account} ${action}`
    demand(spent.has(name), 'an allowed call is noted', () => asked)
    demand((used.get(name) ?? callId) === callId, 'a consent allows one call', () => [asked, used.get(name)])
    used.set(name, callId)
  }
}
