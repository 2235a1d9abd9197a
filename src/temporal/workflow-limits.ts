/**
 * Every bound of the workflows, its unit at the end of its name. Workflow code is bundled apart from the service and may import
 * this file because it imports nothing. A running workflow takes up a changed bound with its next timer or activity.
 */
export const workflowLimits = {
  /**
   * How long a worker may be silent about a workflow task before another one gets it. A task that takes longer sends heartbeats,
   * three events each in the history.
   */
  workflowTaskMs: 5_000,

  /** A short statement: first inside the workflow task, a few times, then as an ordinary activity. */
  ledgerLocalMs: 4_000,
  ledgerLocalTriesMax: 2,
  ledgerLocalAgainMs: 50,
  ledgerCallMs: 20_000,
  ledgerAgainMs: 500,
  ledgerAgainMsMax: 30_000,

  /** A small action that is executed inside the workflow task. */
  decideLocalMs: 300_000,
  /** One step of a larger one: a try, and all tries. */
  stepMs: 43_200_000,
  stepScheduledMs: 86_400_000,
  stepAgainMs: 1_000,
  stepAgainMsMax: 60_000,
  /** How long a step that goes on later waits for its next call, at least and at most. A signal calls it at once. */
  stepLaterMsMin: 1_000,
  stepLaterMsMax: 3_600_000,
  /** An activity that is silent for so long is lost. */
  heartbeatMissingMs: 20_000,

  /** Sending consent requests: a try, and all tries. When they have failed, they are tried again after the third. */
  askMs: 300_000,
  askScheduledMs: 43_200_000,
  askLookAgainMs: 3_600_000,
  /** The least that is waited where the ledger says that it is too early. */
  waitMsMin: 1_000,
  /** Over how long after their expiry the workflows end of proposals that expire together: in all, and by the time that each was open. */
  endsSpreadMs: 3_600_000,
  endsSpreadOpenTimes: 5,

  /** One pass of the reconciler. */
  reconcileMs: 50_000,
  reconcileTriesMax: 3,
  /** The time between two passes, which is also how often the schedule looks whether a run is missing. */
  reconcileEveryMs: 60_000,
  /** The passes of one run, and the time after which a run that is stuck is replaced. */
  reconcilePasses: 60,
  reconcileRunMs: 5_400_000,

  /** How long a preview host's queue may leave a task lying, and how long an activity there may be silent. */
  previewReachMs: 10_000,
  previewHeartbeatMs: 10_000,
  previewTriesMax: 3,
  previewAgainMs: 500,
  /** How long an activity there may take: to boot, beyond the configured time; to run; to be removed. */
  previewBootSlackMs: 30_000,
  previewWatchMs: 36_000_000,
  previewClearMs: 60_000,
} as const
