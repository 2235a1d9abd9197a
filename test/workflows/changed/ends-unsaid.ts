import { condition, defineSignal, proxyLocalActivities, setHandler } from '@temporalio/workflow'
import type { Activities } from '../../../activities/index.ts'
import {
  type PreviewInput,
  type ProposalInput,
  previewSignal,
  signalName,
} from '../../../src/temporal/names.ts'

const local = proxyLocalActivities<Activities>({ scheduleToCloseTimeout: '4 seconds' })

/** The workflow after a careless change: another activity is called after the wake. */
export async function proposal(input: ProposalInput): Promise<unknown> {
  let isWoken = false
  for (const name of Object.values(signalName)) setHandler(defineSignal(name), () => void (isWoken = true))
  await condition(() => isWoken, Math.max(Date.parse(input.expiresAt) - Date.now(), 1_000))
  return local.finish(input)
}

/** The same of a preview: where its host was asked to end it, the ledger is. */
export async function preview(input: PreviewInput): Promise<unknown> {
  let isWoken = false
  for (const name of Object.values(previewSignal)) setHandler(defineSignal(name), () => void (isWoken = true))
  await local.placePreview(input)
  await condition(() => isWoken)
  return local.finishPreview({ ...input, ending: 'stopped' })
}
