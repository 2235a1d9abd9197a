import { sleep } from '@temporalio/workflow'
import { preview as unchangedPreview } from '../../../workflows/preview.ts'
import { proposal as unchanged } from '../../../workflows/proposal.ts'

/** The workflow after a careless change: a timer before everything else. */
export async function proposal(input: Parameters<typeof unchanged>[0]): ReturnType<typeof unchanged> {
  await sleep('1 second')
  return unchanged(input)
}

export async function preview(
  input: Parameters<typeof unchangedPreview>[0],
): ReturnType<typeof unchangedPreview> {
  await sleep('1 second')
  return unchangedPreview(input)
}
