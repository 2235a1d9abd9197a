import { limits } from '../../limits.ts'
import { z } from 'zod'
import { createAccount } from '../../operations/accounts/create-account.ts'
import { readAccounts } from '../../operations/accounts/list-accounts.ts'
import { setKeyLimits } from '../../operations/keys/set-key-limits.ts'
import { suspendAccount } from '../../operations/accounts/suspend-account.ts'
import { keyLimitsOptions } from '../../keys/rights.ts'
import { line } from '../../operations/entered-fields.ts'
import { stripeCheck } from '../../operations/maintenance/health-checks.ts'
import { account } from '../account-option.ts'
import { adminContextOf } from '../context.ts'
import { defineVerb, required } from '../verb.ts'

export const accountVerbs = {
  create: defineVerb({
    summary: 'Create an account',
    options: { name: required('NAME', line(limits.nameCharsMax), 'Name of the account', 'My company') },
    async run(context, { name }) {
      const account_id = await createAccount(context.db(), name)
      const accounts = (await readAccounts(context.db())).map((one) => one.account_id)
      const stripe = stripeCheck({ config: context.config(), accounts })
      if (stripe.verdict === 'attention') context.say(stripe.detail)
      return { account_id }
    },
  }),

  list: defineVerb({
    summary: 'List all accounts',
    empty: () => 'No accounts. Create one with `gate account create --name NAME`.',
    options: {},
    async run(context) {
      const accounts = await readAccounts(context.db())
      return accounts.map(({ account_id, name, created_at, suspended_at, key_limits }) => ({
        account_id,
        name,
        created_at,
        suspended_at,
        key_limits,
      }))
    },
  }),

  update: defineVerb({
    summary: 'Change how the requests of the account’s keys are counted',
    options: {
      account,
      'key-limits': required(
        'HOW',
        z.enum(keyLimitsOptions, `must be one of ${keyLimitsOptions.join(', ')}`),
        'How requests count: per_process (each API process alone) or shared (all together)',
        'shared',
      ),
    },
    async run(context, { account: account_id, 'key-limits': key_limits }) {
      await setKeyLimits(adminContextOf(context, account_id), key_limits)
      return { account_id, key_limits }
    },
  }),

  suspend: defineVerb({
    summary: 'Suspend an account: confirms are refused and running deliveries stop',
    options: { account },
    async run(context, given) {
      await suspendAccount(adminContextOf(context, given.account), true)
      return { account_id: given.account, suspended: true }
    },
  }),

  resume: defineVerb({
    summary: 'Resume a suspended account',
    options: { account },
    async run(context, given) {
      await suspendAccount(adminContextOf(context, given.account), false)
      return { account_id: given.account, suspended: false }
    },
  }),
}
