import type { CliContext } from './context.ts'
import { GateError } from '../errors.ts'
import { printable } from './print.ts'
import { UsageError } from './verb.ts'

/** Accounts that the command line lists where one must be chosen. */
const accountsNamedMax = 20

/**
 * The account of a command that names none: GATE_ACCOUNT, or the only account. The only account is named on stderr, so
 * that nobody changes one by mistake.
 * @throws UsageError if there are several; it lists them
 * @throws GateError `not_found` if there is none
 */
export async function defaultAccount(context: CliContext): Promise<string> {
  const named = context.config().GATE_ACCOUNT
  if (named !== undefined) return named
  const { readAccounts } = await import('../operations/accounts/list-accounts.ts')
  const accounts = await readAccounts(context.db())
  const [only] = accounts
  if (only === undefined)
    throw new GateError(
      'not_found',
      'There is no account. Create one with `gate account create --name NAME`.',
    )
  if (accounts.length > 1) throw ambiguous(accounts)
  context.say(`Account ${only.account_id} (${printable(only.name)}), the only one.`)
  return only.account_id
}

function ambiguous(accounts: { account_id: string; name: string }[]): UsageError {
  const listed = accounts.slice(0, accountsNamedMax)
  const more = accounts.length - listed.length
  return new UsageError(
    `--account is required, because there are ${accounts.length} accounts`,
    [
      ...listed.map(({ account_id: id, name }) => `  ${id}  ${printable(name)}`),
      ...(more > 0 ? [`  … and ${more} more: gate account list`] : []),
      '',
      'To use one of them for every command, set GATE_ACCOUNT.',
    ].join('\n'),
  )
}
