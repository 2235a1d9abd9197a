import type { z } from 'zod'
import type { ToolGroup } from '../config.ts'
import type { ActionRow } from '../db/queries/actions/actions.ts'
import type { BegunAction } from '../db/queries/actions/execution.ts'
import type { KindDeps } from './kind-deps.ts'
import type { Json } from '../gate/canonical.ts'
import type { KindRule } from '../gate/policy.ts'
import type { TaskQueue } from '../temporal/names.ts'

/** A JSON object; what is undefined is absent. */
export type Fields = Record<string, Json | undefined>

/** One thing that is governed. A kind is one folder and one line in the registry; routes, SQL and workflows stay. */
export interface ActionKind<Payload extends Fields = Fields, Frozen extends Fields = Payload> {
  /** As in the ledger: snake_case. */
  kind: string
  /** What the proposer sends. Strict: an unknown field is refused. */
  payload: z.ZodType<Payload>
  /**
   * Completes what was sent with what decides about it, read from a provider, once, when it is proposed. The result is
   * what the row shows, what is weighed and what is performed. Absent: what was sent.
   * @throws GateError `invalid` where it cannot be done, `conflict` or `unavailable` where the provider cannot be asked
   */
  freeze?(deps: KindDeps, account: string, payload: Payload): Promise<Frozen>
  /** Holds where the account's policy does not name the kind. */
  defaultRule: KindRule
  /** Whether the HTTP propose accepts it; every kind may have a tool of its own. */
  isHttpProposable: boolean
  /** Whom it reaches: every active member through their channels, or nobody but a provider. */
  reaches: 'members' | 'nobody'
  /** A person decides it on the page of a link: an agent's confirm is refused. */
  isDecidedByLink?: boolean
  /** How long a proposal waits. Absent: as long as the account's policy says. */
  expiresAfterMs?: number
  /** The provider that it moves money at: after a change of the account there, its member consents on a page. */
  movesMoneyAt?: 'stripe'
  /** What money it weighs, from its frozen payload. Absent: none. */
  weigh?(payload: Frozen): { amountCents: number; currency: string }
  /**
   * What its money is about, from its frozen payload: what was confirmed of the same subject in the last 24 hours is weighed
   * together with it. The row's own is computed by the database, by the same rule (`gate_private.subject_of`); another rule
   * there leaves this one without effect. Absent or undefined: its amount is weighed alone.
   */
  subject?(payload: Frozen): string | undefined
  /** What a person reads of it before they decide, from its frozen payload. Absent: every field, as the agent's words. */
  summary?(payload: Frozen): Summary
  /** The MCP tool that proposes it, if it has one. Its arguments are `actor` and these; then `payload` checks them. */
  tool?: {
    name: string
    title: string
    description: string
    group: ToolGroup
    arguments: z.ZodObject<z.ZodRawShape>
  }
  performer: Performer
}

/** What a person reads of an action before they decide. */
export interface Summary {
  /** In the gate's own words: nothing that an agent wrote. */
  title: string
  /** Label and value, each on one line. */
  facts: [label: string, value: string][]
  /** What the agent wrote: shown as such, whole. */
  written: [label: string, text: string][]
}

/** A piece of the work that is retried by itself. `name` says to the performer which. */
export interface Step {
  queue: TaskQueue
  name: string
  /** One short call: where all steps of an action are, they are done at once, without a task of their own each. */
  isQuick?: boolean
}

export interface StepContext {
  /** Aborted when the worker shuts down or the workflow was cancelled. */
  signal: AbortSignal
  /**
   * Inside a workflow task: the straight way alone. What would wait for a provider, or has to find out what an earlier
   * attempt did, throws `GoesOnLater`, and is called again in a task of its own.
   */
  isBrief: boolean
}

/** Nothing is wrong, but this takes longer than a workflow task should. */
export class GoesOnLater extends Error {}

/** What a row's end is. `cancelled` only where the provider refused and nothing was done. */
export interface Ending {
  status: 'executed' | 'cancelled'
  closedReason: 'refused' | null
  result: { outcome: 'done' | 'partial' | 'refused' | 'unknown'; [field: string]: Json }
}

/** What the ledger is to say of one step, beside the end of the whole. */
export interface StepReport {
  /** How many recipients (or calls) it settled. */
  settled: number
}

/** The activity side of a kind. Every function may be called again after a crash and finds what was done. */
export interface Performer {
  plan(deps: KindDeps, row: BegunAction): Promise<Step[]>
  /** Does one step. Its intent is written, and waited for, before anything leaves the service. */
  perform(deps: KindDeps, row: BegunAction, step: string, context: StepContext): Promise<void>
  /** Says what became of a step, from what was recorded. Absent: the end of the whole says it all. */
  report?(deps: KindDeps, row: ActionRow, step: string): Promise<StepReport>
  /** Says what became of it, from what was recorded. */
  conclude(deps: KindDeps, row: ActionRow): Promise<Ending>
}
