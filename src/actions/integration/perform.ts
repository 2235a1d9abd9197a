import { activateIntegration, readIntegrationOf } from '../../db/queries/integrations/integrations.ts'
import { taskQueue } from '../../temporal/names.ts'
import type { Performer } from '../kind.ts'

/** Puts into use what the page has checked and stored: the claim of the confirm and the sealed credential came together. */
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
