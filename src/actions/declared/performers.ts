import type { KindDocument } from '../../gate/declared/declared-kind.ts'
import type { Performer } from '../kind.ts'
import { claimPerformer } from './claim/perform.ts'
import { webhookPerformer } from './webhook/performer.ts'

/** What executes the actions of a declared kind. */
export type PerformerOf = (document: KindDocument) => Performer

/** The performer that a document names: a webhook, or nobody until an agent claims the action. */
export const performerOf: PerformerOf = ({ executor }) =>
  executor.type === 'webhook' ? webhookPerformer(executor) : claimPerformer
