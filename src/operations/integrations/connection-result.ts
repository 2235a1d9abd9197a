import type { ActionRow } from '../../db/queries/actions/actions.ts'
import type { IntegrationProvider } from '../../gate/integration-provider.ts'
import { isRunning } from '../actions/action-view.ts'
import type { OpenLink } from './connect-link.ts'

/** The result of connecting, for the last page. */
export interface ConnectionResult {
  provider: IntegrationProvider
  accountName: string
  /** False: it is confirmed and will be in use in a moment. */
  isInUse: boolean
  isRefused: boolean
}

export function connectionResult(link: OpenLink, row: ActionRow): ConnectionResult {
  return {
    provider: link.provider,
    accountName: link.account_name,
    isInUse: row.status === 'executed',
    isRefused: !isRunning(row) && row.status !== 'executed',
  }
}
