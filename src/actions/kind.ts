import type { z } from 'zod'
import type { ToolGroup } from '../config.ts'
import type { ActionRow } from '../db/queries/actions/actions.ts'
import type { SliceRecord } from '../db/queries/actions/deliveries.ts'
import type { StartedAction } from '../db/queries/actions/execution.ts'
import type { KindDeps } from './kind-deps.ts'
import type { Json } from '../gate/canonical.ts'
import type { Executor, KindDocument } from '../gate/declared/declared-kind.ts'
import type { EditableField } from '../gate/edits/editable-fields.ts'
import type { KindRule } from '../gate/policy.ts'
import type { Outlet } from '../gate/reach.ts'
import type { Requirement } from '../gate/requirement.ts'
import type { TaskQueue } from '../temporal/names.ts'

/** A JSON object; undefined fields are absent. */
export type Fields = Record<string, Json | undefined>

/** One governed kind of action. A new kind is one folder and one line in the registry; routes, SQL and workflows do not change. */
export interface ActionKind<Payload extends Fields = Fields, Frozen extends Fields = Payload> {
  /** The name in the ledger, in snake_case. */
  kind: string
  /** The payload schema. Strict: unknown fields are refused. */
  payload: z.ZodType<Payload>
  /**
   * Completes the payload once, when it is proposed, with data from the provider. The payload is what the action shows, what
   * the policy judges and what is performed; the facts are for the decision card. Absent: the payload as sent, and no facts.
   * @throws GateError `invalid` if the action is impossible, `conflict` or `unavailable` if the provider cannot be read
   */
  freeze?(deps: KindDeps, account: string, payload: Payload): Promise<FrozenProposal<Frozen>>
  /** Applies if the account's policy does not include the kind. */
  defaultRule: KindRule
  /** Whether `POST /api/v1/actions` accepts it; every kind can also have its own tool. */
  isHttpProposable: boolean
  /** Who is reached: every active member through their channels, or nobody except a provider. */
  reaches: 'members' | 'nobody'
  /** A person decides on the page of a link: an agent's confirm is refused. */
  isDecidedByLink?: boolean
  /** How long a proposal stays open. Absent: the account's policy decides. */
  expiresAfterMs?: number
  /** The provider where it moves money: after the account's key there changes, the member must consent on a page. */
  movesMoneyAt?: 'stripe'
  /** Where it runs, from the frozen payload, in words for the card. Absent or undefined: at no place of its own. */
  runsAt?(payload: Frozen): string | undefined
  /** The amount that the policy judges, from the frozen payload. Absent or undefined: there is no amount. */
  weigh?(payload: Frozen): { amountCents: number; currency: string } | undefined
  /**
   * What the money concerns, from the frozen payload: the policy adds up what was confirmed for the same subject in the last
   * 24 hours. The database computes the stored subject by the same rule (`gate_private.subject_of`); keep both equal. Absent
   * or undefined: the amount is judged alone.
   */
  subject?(payload: Frozen): string | undefined
  /** Who the money goes to, from the frozen payload: added up beside the subject, and stored by the same trigger. The higher sum counts. */
  customer?(payload: Frozen): string | undefined
  /**
   * What the agent chose, by name, from the frozen payload, apart from the amount: what a mandate limits. Absent: no mandate is for
   * the kind.
   */
  argumentsOf?(payload: Frozen): Fields
  /** What actions of this kind show, for the description of the interface. Absent: their payload and result are open. */
  shows?: ShownFields
  /** The rule of one action, from the frozen payload. It applies beside the policy's rule of the kind: the stronger counts. */
  ruleOf?(payload: Frozen): KindRule | undefined
  /** What one action requires at least, beside the policy's rule of its kind, from the frozen payload. */
  requires?(payload: Frozen): Requirement
  /**
   * The summary for the person who decides, from the frozen payload and what is stored beside it. Absent: every field, marked
   * as written by the agent.
   */
  summary?(
    payload: Frozen,
    beside: Pick<ActionRow, 'input'> &
      Partial<Pick<ActionRow, 'facts' | 'former' | 'reach_slack' | 'reach_email' | 'reach_teams'>>,
  ): Summary
  /** What a member may change before they approve, in the frozen payload. Absent: nothing. */
  editable?(payload: Frozen): EditableField[]
  /** The MCP tool that proposes it, if any. It takes `actor` and these arguments; `payload` validates them. */
  tool?: {
    name: string
    title: string
    description: string
    group: ToolGroup
    arguments: z.ZodObject<z.ZodRawShape>
  }
  /** What was done, in a sentence without its full stop: `Refunded 10.00 EUR to “Acme”`. Absent: no words for it. */
  outcome?(payload: Frozen, result: Record<string, unknown>, facts: ProviderFact[]): string
  /** Who executes it, of a kind that an administrator declared. */
  executor?: Executor
  /** Only a kind that an administrator declared has it: its document, and the version of it. */
  declared?: { version: number; document: KindDocument }
  /** It can no longer be proposed or confirmed. */
  isRetired?: boolean
  performer: Performer
}

export interface ShownFields {
  /** The payload as it is frozen. */
  payload: z.ZodObject
  /** The result as `conclude` makes it. */
  result: z.ZodObject
}

/** What is frozen when an action is proposed. */
export interface FrozenProposal<Frozen extends Fields = Fields> {
  payload: Frozen
  /** What the provider said about it: the gate's label, the provider's value. Empty where it said nothing. */
  facts: ProviderFact[]
}

export type ProviderFact = [label: string, value: string]

/** What a person reads about an action before deciding. */
export interface Summary {
  /** What is done to whom. Written by the gate; contains no agent text, and of a customer at most their quoted name. */
  title: string
  /** Labels and values, each one line. */
  facts: [label: string, value: string][]
  /** Text written by the agent: shown in full and marked as such. */
  written: [label: string, text: string][]
  /** Text of files, as somebody else read it: shown as such. */
  files?: [label: string, text: string][]
  /** What the agent wrote beside that, as JSON: nobody consents to what they were not shown. */
  others?: string
  /** Further facts, by which few people decide. */
  details?: [label: string, value: string][]
}

/** A part of the work that is retried on its own. `name` identifies it to the performer. */
export interface Step {
  queue: TaskQueue
  name: string
  /** One short call: if all steps of an action are quick, they run together, without a task for each. */
  isQuick?: boolean
}

export interface StepContext {
  /** Aborted when the worker shuts down or the workflow was cancelled. */
  signal: AbortSignal
  /**
   * Inside a workflow task: only the fast path. A step that would wait for a provider, or must find out what an earlier
   * attempt did, throws `NeedsOwnTask` and is called again in its own task.
   */
  isBrief: boolean
}

/** Not an error: the step takes longer than a workflow task should and continues in its own task. */
export class NeedsOwnTask extends Error {}

/** How an action ends. `cancelled` only if the provider refused and nothing was done. */
export interface Conclusion {
  status: 'executed' | 'cancelled'
  closedReason: 'refused' | null
  result: { outcome: Outcome; [field: string]: Json }
}

export const outcomes = ['done', 'partial', 'refused', 'unknown'] as const
export type Outcome = (typeof outcomes)[number]

/** What the ledger records about one step, besides the end of the action. */
export interface StepReport {
  /** The number of recipients (or calls) that it settled. */
  settled: number
}

/** The end of an action whose outcomes are not recorded yet: the statement that ends it records them first. */
export interface QuickEnd {
  conclusion: Conclusion
  records: ({ channel: Outlet } & SliceRecord)[]
  /** Records them without the end. */
  recordAlone(): Promise<void>
}

/** A step that goes on later. Its workflow waits for that time, or for a signal, and calls it again. */
export interface Again {
  inMs: number
}

/** The activities of a kind. Every function may run again after a crash and continues from what was recorded. */
export interface Performer {
  /** Somebody else acts before its actions end: an agent that confirms one is answered at once. */
  waitsForOthers?: true
  plan(deps: KindDeps, row: StartedAction): Promise<Step[]>
  /**
   * Performs one step. The intent is committed before anything leaves the service.
   * @returns when to call it again, where the step is not at its end; nothing where it is
   */
  perform(deps: KindDeps, row: StartedAction, step: string, context: StepContext): Promise<Again | void>
  /**
   * Performs all steps of an action of quick ones. Absent: each is performed by itself.
   * @returns undefined where everything is recorded, and `conclude` tells the end
   */
  performQuick?(
    deps: KindDeps,
    row: StartedAction,
    steps: string[],
    context: StepContext,
  ): Promise<QuickEnd | undefined>
  /** The outcome of a step, from what was recorded. Absent: steps are not reported separately. */
  report?(deps: KindDeps, row: ActionRow, step: string): Promise<StepReport>
  /**
   * The outcome of the action, from what was recorded. A step that goes on later may not be at its end: an operator can cancel
   * the workflow.
   */
  conclude(deps: KindDeps, row: ActionRow): Promise<Conclusion>
}
