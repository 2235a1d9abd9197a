import type { z } from 'zod'
import type { ToolGroup } from '../config.ts'
import type { CeilingsRow } from '../db/queries/accounts/authenticate.ts'
import type { Facts } from '../db/queries/members/facts.ts'
import type { Deps } from '../deps.ts'
import { type ErrorCode, OutcomeUnknown } from '../errors.ts'
import type { KeyPower } from '../keys/rights.ts'

/** A member's identities as they are looked up. */
export interface Identity {
  email: string | null
  slack: string | null
}

/** Who calls, and how. Made by a transport after authentication. */
export interface CallContext {
  deps: Deps
  account: string
  keyId: string
  /** SHA-256 of the API key: every write checks under the account's lock that it still holds. */
  keyHash: Buffer
  /** The members the key is bound to; null: any of the account. */
  actors: string[] | null
  /** What the key may do. */
  powers: KeyPower[]
  /** The kinds of action it may propose and confirm; null: every kind. */
  kinds: string[] | null
  /** What may be confirmed within 24 hours of what the key proposes or confirms; null: not limited. */
  ceilings: CeilingsRow | null
  /** Facts that were read together with the key, of the member the request names. Good for one look. */
  known?: { identity: Identity; facts: Facts } | undefined
  source: 'api' | 'mcp'
  idempotencyKey?: string | undefined
  /** Aborted when the caller hung up: ends waiting, never work. */
  signal?: AbortSignal | undefined
}

export interface Answer {
  status: 200 | 201 | 202
  body: unknown
  isReplayed?: boolean
  /** Where the end can be read, on 202. */
  location?: string
}

/** The whole truth about a verb. REST, MCP, OpenAPI and llms.txt are loops over these. */
export interface Operation<Input extends z.ZodObject = z.ZodObject> {
  /** Its name as an MCP tool. */
  name: string
  title: string
  summary: string
  /** Absent where it is a tool only. `integers` names the parameters of path and query that are integers. */
  http?: { method: 'GET' | 'POST'; path: string; integers?: string[]; success: Record<number, string> }
  tool: { group: ToolGroup; readOnly: boolean; destructive: boolean; idempotent: boolean; openWorld: boolean }
  /** One flat object: path, query and body of REST, the arguments over MCP. */
  input: Input
  output: z.ZodType
  errors: ErrorCode[]
  /** What an API key must be allowed to do for it: any one of these. */
  powers: readonly KeyPower[]
  /** The kinds of action that it proposes, or does at once; absent where it does neither. */
  proposes?: readonly string[]
  /** Whether it takes an Idempotency-Key. */
  isKeyed: boolean
  /** What to do where its answer was lost and it may have been done. Absent for reads. */
  ifLost?(context: CallContext, input: z.output<Input>): { what: string; advice: string }
  run(context: CallContext, input: z.output<Input>): Promise<Answer>
}

export function defineOperation<Input extends z.ZodObject>(operation: Operation<Input>): Operation<Input> {
  return {
    ...operation,
    async run(context, input) {
      try {
        return await operation.run(context, input)
      } catch (error) {
        if (!(error instanceof OutcomeUnknown) || !operation.ifLost) throw error
        const { what, advice } = operation.ifLost(context, input)
        throw new OutcomeUnknown(what, advice)
      }
    },
  }
}

/** What is said of a lost decision about a row. A repeat under its key is answered as the first was. */
export function ifDecisionLost(what: string, context: CallContext, id: number) {
  const advice =
    context.idempotencyKey === undefined
      ? `Read action ${id} before you repeat it.`
      : `Read action ${id}, or repeat with the same ${keyName(context)}.`
  return { what, advice }
}

/** The same of a proposal: nothing executes by it, but a second one may be confirmed beside the first. */
export function ifProposalLost(context: CallContext) {
  const list = context.source === 'mcp' ? 'list_actions' : 'GET /api/v1/actions'
  const advice =
    context.idempotencyKey === undefined
      ? `Look for the row with ${list} before proposing again. With an ${keyName(context)} a repeat is safe.`
      : `Repeat the request with the same ${keyName(context)}, or look for the row with ${list} before proposing again.`
  return { what: 'this proposal', advice }
}

const keyName = ({ source }: CallContext): string =>
  source === 'mcp' ? 'idempotency_key' : 'Idempotency-Key'
