import type { z } from 'zod'
import type { ToolGroup } from '../config.ts'
import type { CeilingsRow } from '../db/queries/accounts/authenticate.ts'
import type { Facts, Identity as FactsIdentity } from '../db/queries/members/facts.ts'
import type { Deps } from '../deps.ts'
import { type ErrorCode, OutcomeUnknown } from '../errors.ts'
import type { KeyPower } from '../keys/rights.ts'

/** A member's identities as they are looked up. */
export interface Identity {
  email: string | null
  slack: string | null
}

/** Who calls, and how. A transport makes it after authentication. */
export interface CallContext {
  deps: Deps
  account: string
  keyId: string
  /** SHA-256 of the API key. Every write checks under the account's lock that the key is still valid. */
  keyHash: Buffer
  /** The members that the key is bound to; null: all of the account. */
  actors: string[] | null
  /** What the key may do. */
  powers: KeyPower[]
  /** The kinds of action that it may propose and confirm; null: all kinds. */
  kinds: string[] | null
  /** How much the key may have confirmed within 24 hours, of what it proposes or confirms; null: no limit. */
  ceilings: CeilingsRow | null
  /** Facts of the member that the request names, or of the key's own (`identity` null), read with the key. Used once. */
  known?: { identity: FactsIdentity | null; facts: Facts } | undefined
  /** The version of the account's MCP servers and their tools, where it was read with the key just now. */
  upstreamsVersion?: number | undefined
  /** The version of the kinds that the account declared, likewise. */
  kindsVersion?: number | undefined
  source: 'api' | 'mcp' | 'runner'
  /** The key was read up to a minute ago: only for verbs that check it themselves. See `requireKeyNow`. */
  isKept?: boolean
  /** The verb changes nothing: what the key must not see is as if absent. */
  isRead?: boolean
  idempotencyKey?: string | undefined
  /** A signal that is aborted when the caller disconnects: ends waiting, never work. */
  hungUp?: (() => AbortSignal) | undefined
  /** The caller asks again, and does not wait, while a member decides. */
  asksAgain?: boolean
  /** The caller can show its user a card, and repeat the call with their choice. */
  client?: AskingClient | undefined
  /** Tells the caller that the call still waits; absent where they did not ask for it. */
  progress?: ((progress: Progress) => Promise<void>) | undefined
}

/** A client that shows its user the gate's question in place of an answer. */
export interface AskingClient {
  /** What its user chose, in a repeated call. */
  answer?: ClientAnswer
  /** Takes the question. */
  ask(question: ClientQuestion, cardText: string): void
}

/** What a client shows its user, and what their answer is bound to. */
export interface ClientQuestion {
  /** Of the action. */
  uuid: string
  digest: string
  /** The hash of the card; empty where the user is sent to a page instead. */
  card: Buffer
  until: Date
}

export interface ClientAnswer {
  /** `none`: the question was closed, or there is nobody to show it to. */
  choice: 'approve' | 'decline' | 'none'
  /** What was asked; undefined: nothing that this key was asked in this call. */
  of: ClientQuestion | undefined
}

/** How far a call that waits has come. */
export interface Progress {
  waitedMs: number
  waitMs: number
  /** What it waits for. */
  message: string
}

export interface Answer {
  status: 200 | 201 | 202
  body: unknown
  isReplayed?: boolean
  /** Its content type; absent: JSON. */
  type?: string
  /** Where the result can be read, with 202. */
  location?: string
}

/** Everything about a verb. REST, MCP, OpenAPI and llms.txt are generated from these. */
export interface Operation<Input extends z.ZodObject = z.ZodObject> {
  /** Its name as an MCP tool. */
  name: string
  title: string
  summary: string
  /** The same for a key that cannot confirm; absent where nothing differs. */
  summaryUnconfirmed?: string
  /** Absent for a verb that is only a tool. `integers` names the parameters of path and query that are integers. */
  http?: { method: 'GET' | 'POST'; path: string; integers?: string[]; success: Record<number, string> }
  tool: {
    group: ToolGroup
    readOnly: boolean
    destructive: boolean
    idempotent: boolean
    openWorld: boolean
    /** Fields of the input that only REST takes. */
    omits?: readonly string[]
    /** It may wait for long, and tells a caller who asks for it how far it is. */
    reportsProgress?: true
    /** Whether the list of tools has it, of a key that may call it. Absent: always. A model pays for each tool of the list. */
    isListed?(context: CallContext): Promise<boolean>
    /** Arguments that are not as in `input`. */
    arguments?: z.ZodRawShape
  }
  /** One flat object: path, query and body over REST, the arguments over MCP. */
  input: Input
  output: z.ZodType
  errors: ErrorCode[]
  /**
   * Whether everything that it answers and does comes from a statement that checks the key, or after `requireKeyNow`: then a
   * key of a minute ago will do.
   */
  checksKey?: true
  /** An API key needs one of these. */
  powers: readonly KeyPower[]
  /** The kinds of action that it proposes or executes; absent where it does neither. */
  proposes?: readonly string[]
  /** Whether it takes an Idempotency-Key. */
  isKeyed: boolean
  /** What to do after a lost answer, when it is unknown whether it was done. Absent for reads. */
  ifLost?(context: CallContext, input: z.output<Input>): { what: string; advice: string }
  /**
   * The same verb as it is for this call, where the caller's account has it in another form. Refuses an input before it is
   * parsed, where it can say more than the schema.
   */
  forCall?(context: CallContext, given: unknown): Promise<Operation | undefined>
  run(context: CallContext, input: z.output<Input>): Promise<Answer>
}

/** An operation as REST serves it: also one that is no tool, as those of administration. */
export type RestOperation = Omit<Operation, 'tool'> &
  Partial<Pick<Operation, 'tool'>> & {
    /** Of requests and answers, for the OpenAPI description; absent: they stand there. */
    examples?: OperationExamples
    /** The content type of its answer; absent: JSON. */
    streams?: string | undefined
  }

export interface OperationExamples {
  /** The values of parameters, by name. */
  parameters?: Record<string, unknown>
  body?: Record<string, unknown>
  /** The answers by status, each by a name. */
  answers: Record<number, Record<string, Record<string, unknown>>>
}

/** Whether a verb changes nothing. */
export const isReadOnly = ({ tool, http }: Pick<RestOperation, 'tool' | 'http'>): boolean =>
  tool?.readOnly ?? http?.method === 'GET'

export function defineOperation<Input extends z.ZodObject>(operation: Operation<Input>): Operation<Input> {
  return {
    ...operation,
    async run(context, input) {
      try {
        return await operation.run(context, input)
      } catch (error) {
        if (!(error instanceof OutcomeUnknown) || !operation.ifLost) throw error
        const { what, advice } = operation.ifLost(context, input)
        throw Object.assign(new OutcomeUnknown(what, advice), { cause: error.cause })
      }
    },
  }
}
