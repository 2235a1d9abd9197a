import { z } from 'zod'

/** Part of a request that also tells its member that the agent was stopped, because it asked too often. */
export const stoppedFields = {
  /** The end of the stop. */
  stopped_until: z.string().optional(),
  /** What it asked most within the hour before, and how often. */
  asked_most: z.array(z.strictObject({ call: z.string(), times: z.number() })).optional(),
}

interface Stopped {
  stopped_until?: string | undefined
  asked_most?: { call: string; times: number }[] | undefined
}

/** What the card says of it: as a fact, and as the agent wrote it. Pure. */
export function stoppedParts({ stopped_until: until, asked_most: most = [] }: Stopped): {
  facts: [string, string][]
  written: [string, string][]
} {
  if (until === undefined) return { facts: [], written: [] }
  return {
    facts: [['Agent stopped', `it asked you too often. It is stopped until ${minute(until)}`]],
    written:
      most.length === 0
        ? []
        : [['Asked most', most.map(({ call, times }) => `${times} times: ${call}`).join('\n')]],
  }
}

const minute = (iso: string): string => `${iso.slice(0, 16).replace('T', ' ')} UTC`
