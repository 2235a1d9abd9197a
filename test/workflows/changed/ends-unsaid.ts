import { condition, defineSignal, proxyLocalActivities, setHandler } from '@temporalio/workflow'
import type { Activities } from '../../../activities/index.ts'
import { type ProposalInput, signalName } from '../../../src/temporal/names.ts'

const local = proxyLocalActivities<Activities>({ scheduleToCloseTimeout: '4 seconds' })

/** As a careless change would be: another activity is called after the wake. */
export async function proposal(input: ProposalInput): Promise<unknown> {
  let isWoken = false
  for (const name of Object.values(signalName)) setHandler(defineSignal(name), () => void (isWoken = true))
  await condition(() => isWoken, Math.max(Date.parse(input.expiresAt) - Date.now(), 1_000))
  return local.finish(input)
}
