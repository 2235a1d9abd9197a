import { condition, defineSignal, proxyActivities, setHandler } from '@temporalio/workflow'

const confirm = defineSignal('confirm')
const { doNothing } = proxyActivities<{ doNothing(): Promise<void> }>({ startToCloseTimeout: '20 seconds' })

/** The least a confirmable proposal can be: waits for a signal or its expiry, then does one thing. */
export async function bareProposal(expiresMs: number): Promise<void> {
  let isConfirmed = false
  setHandler(confirm, () => void (isConfirmed = true))
  if (await condition(() => isConfirmed, expiresMs)) await doNothing()
}
