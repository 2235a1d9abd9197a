import type { CallContext } from '../../operations/operation.ts'

interface ProgressNotification {
  method: 'notifications/progress'
  params: { progressToken: string | number; progress: number; total: number; message: string }
}

/** Sends how far a call is, as notifications. One that is not sent is lost: its caller is gone. */
export const progressOf =
  (
    progressToken: string | number,
    send: (notification: ProgressNotification) => Promise<void>,
  ): NonNullable<CallContext['progress']> =>
  ({ waitedMs, waitMs, message }) =>
    send({
      method: 'notifications/progress',
      params: {
        progressToken,
        progress: Math.round(waitedMs) / 1_000,
        total: waitMs / 1_000,
        message,
      },
    }).catch(() => undefined)
