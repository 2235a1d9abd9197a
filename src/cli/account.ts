import { createAccount, listAccounts, suspendAccount } from '../db/queries/accounts.ts'
import { randomBase62 } from '../keys/api-key.ts'
import { adminEvent } from '../ledger/admin-event.ts'
import { limits } from '../limits.ts'
import { type CliContext } from './context.ts'
import { accountId, line } from '../operations/admin/fields.ts'
import { defineVerb, required } from './verb.ts'

export const accountVerbs = {
  create: defineVerb({
    summary: 'Make an account',
    options: { name: required('NAME', line(limits.nameCharsMax)) },
    async run(context, { name }) {
      const account_id = `acct_${randomBase62(16)}`
      await createAccount(context.db(), account_id, name)
      return { account_id }
    },
  }),

  list: defineVerb({
    summary: 'Show every account',
    options: {},
    async run(context) {
      const accounts = await listAccounts(context.db())
      return accounts.map(({ account_id, name, created_at, suspended_at }) => ({
        account_id,
        name,
        created_at,
        suspended_at,
      }))
    },
  }),

  suspend: defineVerb({
    summary: 'Stop an account: confirms are refused, running deliveries stop',
    options: { account: required('ACCOUNT', accountId) },
    run: (context, { account }) => setStopSwitch(context, account, true),
  }),

  resume: defineVerb({
    summary: 'Let a suspended account go on',
    options: { account: required('ACCOUNT', accountId) },
    run: (context, { account }) => setStopSwitch(context, account, false),
  }),
}

async function setStopSwitch(context: CliContext, account: string, suspend: boolean) {
  await suspendAccount(context.db(), { account, suspend, ...adminEvent.accountSuspended(suspend) })
  return { account_id: account, suspended: suspend }
}
