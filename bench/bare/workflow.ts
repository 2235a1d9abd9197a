import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow'

const confirm = defineSignal('confirm')
const { doNothing } = proxyActivities<{ doNothing(): Promise<void> }>({ startToCloseTimeout: '20 seconds' })

/** The simplest confirmable proposal: waits for a signal or its expiry, then runs one activity. */
export async function bareProposal(expiresMs: number): Promise<void> {
  let isConfirmed = false
  setHandler(confirm, () => void (isConfirmed = true))
  if (await condition(() => isConfirmed, expiresMs)) await doNothing()
}
