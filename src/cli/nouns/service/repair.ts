import { GateError } from '../../../errors.ts'
import { limits } from '../../../limits.ts'
import { type Repaired, repairWorkflows } from '../../../operations/maintenance/repair-workflows.ts'
import { defineVerb } from '../../verb.ts'

export const repair = defineVerb({
  summary: 'Restart the workflow of every open action, for example after Temporal lost its database',
  options: {},
  async run(context): Promise<Repaired> {
    const workflows = await context.workflows()
    // Longer than a check waits: after an outage Temporal is busy.
    if (!(await workflows.isUp(limits.temporalStartMs))) {
      throw new GateError(
        'unavailable',
        `Temporal at ${context.temporalAddress()} does not answer. Nothing was repaired.`,
      )
    }
    return repairWorkflows(context.db(), workflows)
  },
  refusal: ({ open, failed }: Repaired) =>
    failed === 0 ? null : `${failed} of ${open} workflows could not be reached. Run the command again.`,
})
