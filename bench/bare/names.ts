/** Names shared by the plain worker and its callers. */
export const bareQueue = 'bare'
export const bareWorkflow = 'bareProposal'
export const bareSignal = 'confirm'
export const bareExpiresMs = 168 * 3_600_000
export const bareCycleWorkflow = 'bareCycle'

/** The activity of the plain cycle. */
export interface BareCycle {
  deliverToThree(proposal: string): Promise<void>
}
