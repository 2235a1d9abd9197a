import type { KindDocument } from '../../gate/declared-kind.ts'
import { NeedsOwnTask, type Performer } from '../kind.ts'
import { taskQueue } from '../../temporal/names.ts'
import { claimPerformer } from './claim/perform.ts'

/** What executes the actions of a declared kind. */
export type PerformerOf = (document: KindDocument) => Performer

/** The performer that a document names: a webhook, or nobody until an agent claims the action. */
export const performerOf: PerformerOf = ({ executor }) =>
  executor.type === 'claim' ? claimPerformer : unfinished

// Takes the place of the performer of webhooks: nothing is executed until it is here.
const unfinished: Performer = {
  plan: async () => [{ queue: taskQueue.gate, name: 'execute' }],
  async perform() {
    throw new NeedsOwnTask('there is no executor')
  },
  async conclude() {
    throw new NeedsOwnTask('there is no executor')
  },
}
