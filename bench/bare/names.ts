/** What the bare worker and those who call it share. */
export const bareQueue = 'bare'
export const bareWorkflow = 'bareProposal'
export const bareSignal = 'confirm'
export const bareExpiresMs = 168 * 3_600_000
