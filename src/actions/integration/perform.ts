import { activateIntegration, readIntegrationOf } from '../../db/queries/integrations/integrations.ts'
import { taskQueue } from '../../temporal/names.ts'
import type { Performer } from '../kind.ts'

/** Activates the credential that the page checked and stored together with the confirm. */
export const integrationPerformer: Performer = {
  plan: async () => [{ queue: taskQueue.gate, name: 'activate', isQuick: true }],

  perform: (deps, row) => activateIntegration(deps.db, row.account_id, row.id),

  async conclude(deps, row) {
    const made = await readIntegrationOf(deps.db, row.account_id, row.id)
    const provider = String(row.payload['provider'])
    if (!made || made.state === 'pending')
      return { status: 'cancelled', closedReason: 'refused', result: { outcome: 'refused', provider } }
    return {
      status: 'executed',
      closedReason: null,
      result: {
        outcome: 'done',
        provider,
        integration_id: made.integration_id,
        ...(made.settings.sandbox ? { sandbox: true } : {}),
      },
    }
  },
}
