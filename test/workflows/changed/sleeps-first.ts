import { sleep } from '@temporalio/workflow'
import { proposal as unchanged } from '../../../workflows/proposal.ts'

/** As a careless change would be: a timer before everything else. */
export async function proposal(input: Parameters<typeof unchanged>[0]): ReturnType<typeof unchanged> {
  await sleep('1 second')
  return unchanged(input)
}
