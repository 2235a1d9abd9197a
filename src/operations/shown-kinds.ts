import { z } from 'zod'
import { type ActionKind, type ShownFields, outcomes } from '../actions/kind.ts'
import { tierSources, tiers } from '../gate/tier.ts'

/** What the actions of each described kind show as payload and result. */
export type ShownKinds = [kind: string, fields: ShownFields][]

/** The described kinds: those of the registry, then those that are recorded without being proposed. */
export const shownKinds = (kinds: Iterable<ActionKind>): ShownKinds => [
  ...[...kinds].flatMap(({ kind, shows }): ShownKinds => (shows ? [[kind, shows]] : [])),
  ...recorded,
]

const recorded: ShownKinds = [
  [
    'preview',
    {
      payload: z.object({
        operation: z.enum(['start', 'stop']),
        conversation_id: z.string(),
        preview_id: z.string().optional(),
      }),
      result: z.object({
        outcome: z.enum(outcomes),
        preview_id: z.string(),
        stopped_by: z.literal('admin').optional(),
      }),
    },
  ],
  [
    'capability_check',
    {
      payload: z.object({}),
      result: z.object({ tier: z.enum(tiers), tier_source: z.enum(tierSources), certified: z.boolean() }),
    },
  ],
]
