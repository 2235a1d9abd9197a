import { accountId } from '../operations/ids.ts'
import { type GivenAccount, type Option, optional } from './verb.ts'

/** The account of a verb. If it is left out, it is filled in before the verb runs: see default-account.ts. */
export const account = optional(
  'ACCOUNT',
  accountId,
  'The account; if absent: GATE_ACCOUNT, or the only account',
  'acct_4kD0x9TqLmW2aBcE',
) as Option<string>

/** @param values  as they were given, before an account is filled in */
export const givenAccount = ({ account: given }: { account?: unknown }): GivenAccount =>
  typeof given === 'string' ? ` --account ${given}` : ''
