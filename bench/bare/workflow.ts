import {
  condition,
  defineSignal,
  proxyActivities,
  proxyLocalActivities,
  setHandler,
} from '@temporalio/workflow'
import type { BareCycle } from './names.ts'

const confirm = defineSignal('confirm')
const { doNothing } = proxyActivities<{ doNothing(): Promise<void> }>({ startToCloseTimeout: '20 seconds' })
const { deliverToThree } = proxyLocalActivities<BareCycle>({ startToCloseTimeout: '20 seconds' })

/** The simplest confirmable proposal: waits for a signal or its expiry, then runs one activity. */
export async function bareProposal(expiresMs: number): Promise<void> {
  let isConfirmed = false
  setHandler(confirm, () => void (isConfirmed = true))
  if (await condition(() => isConfirmed, expiresMs)) await doNothing()
}

/** The same with a local activity that delivers to three recipients. */
export async function bareCycle(expiresMs: number, proposal: string): Promise<void> {
  let isConfirmed = false
  setHandler(confirm, () => void (isConfirmed = true))
  if (await condition(() => isConfirmed, expiresMs)) await deliverToThree(proposal)
}
