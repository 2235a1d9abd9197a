import type { ActionRow } from '../../db/queries/actions/actions.ts'

/** The answer to a tool call. `defer`: the runner is to end its turn and ask again once the member has decided. */
export interface RunnerAnswer {
  decision: 'allow' | 'deny' | 'defer'
  /** For the agent and the person at the runner, in one or two sentences. */
  reason: string
  /** Its row in the ledger, if it has one. */
  actionId: number | null
}

/** The member has not decided yet. */
export interface StillWaiting {
  waitsFor: ActionRow
  /** The mandate that was offered with it: that would answer it, too. */
  offer?: ActionRow | null
}
