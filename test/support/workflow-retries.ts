import { workflowLimits } from '../../src/temporal/workflow-limits.ts'

/** Imported before the workflows, which read these as they are loaded. How often something is tried stays as it is. */
Object.assign(workflowLimits, {
  ledgerAgainMs: 50,
  stepAgainMs: 50,
  stepLaterMsMin: 50,
  previewAgainMs: 50,
})
