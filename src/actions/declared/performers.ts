import type { KindDocument } from '../../gate/declared-kind.ts'
import { NeedsOwnTask, type Performer } from '../kind.ts'
import { taskQueue } from '../../temporal/names.ts'

/** What executes the actions of a declared kind. */
export type PerformerOf = (document: KindDocument) => Performer

/** The performer that a document names: a webhook, or nobody until an agent claims the action. */
export const performerOf: PerformerOf = () => unfinished

// Takes the place of the performers of webhooks and claims: nothing is executed until they are here.
const unfinished: Performer = {
  plan: async () => [{ queue: taskQueue.gate, name: 'execute' }],
  async perform() {
    throw new NeedsOwnTask('there is no executor')
  },
  async conclude() {
    throw new NeedsOwnTask('there is no executor')
  },
}
