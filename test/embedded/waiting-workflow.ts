import { condition, defineSignal, setHandler } from '@temporalio/workflow'

export const release = defineSignal('release')

/** Waits for a signal. */
export async function waitingWorkflow(): Promise<string> {
  let isReleased = false
  setHandler(release, () => void (isReleased = true))
  await condition(() => isReleased)
  return 'went on'
}
