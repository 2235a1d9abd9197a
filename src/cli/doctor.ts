import { listAccounts } from '../db/queries/accounts.ts'
import { openSummary } from '../db/queries/open-actions.ts'
import { forPeople } from './print.ts'
import { defineVerb } from './verb.ts'

interface Findings {
  database: 'up'
  temporal: 'up' | 'down'
  temporal_address: string
  oldest_outbox_due_at: Date | null
  claims_without_end: number
  oldest_claim_at: Date | null
  open_proposals: number
  accounts: { account_id: string; name: string; suspended: boolean; seq: number; hash: string }[]
}

export const doctor = defineVerb({
  summary: 'Show what is open, what is overdue, and the end of each chain: keep those elsewhere',
  options: {},
  async run(context): Promise<Findings> {
    const workflows = await context.workflows()
    const [open, accounts, isTemporalUp] = await Promise.all([
      openSummary(context.db()),
      listAccounts(context.db()),
      workflows.isUp(),
    ])
    return {
      database: 'up',
      temporal: isTemporalUp ? 'up' : 'down',
      temporal_address: context.temporalAddress(),
      oldest_outbox_due_at: open.oldest_due,
      claims_without_end: open.claims_without_end,
      oldest_claim_at: open.oldest_claim,
      open_proposals: open.open_proposals,
      accounts: accounts.map(({ account_id, name, suspended_at, seq, hash }) => ({
        account_id,
        name,
        suspended: suspended_at !== null,
        seq,
        hash: hash.toString('hex'),
      })),
    }
  },
  text: ({ accounts, ...rest }: Findings) => `${forPeople(rest)}\n\n${forPeople(accounts)}`,
})
