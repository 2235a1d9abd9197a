import type { AccountKinds } from '../../actions/account-kinds.ts'
import type { CallContext } from '../operation.ts'

/** The kinds of the caller's account as they are now. Nothing is read where their version came with the key. */
export const kindsOfCaller = ({
  deps: { kinds },
  account,
  kindsVersion,
}: Pick<CallContext, 'deps' | 'account' | 'kindsVersion'>): Promise<AccountKinds> =>
  kindsVersion === undefined ? kinds.now(account) : kinds.of(account, kindsVersion)
