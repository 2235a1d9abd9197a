/** Names a member, as the product under test wants it. Attacks also pass values of another form. */
export type Member = { email: string } | { provider: string; external_id: string }

/** Why a request was refused, in words that every product has. */
export type Refusal =
  | 'unauthenticated'
  | 'forbidden'
  | 'not_found'
  | 'conflict'
  | 'invalid'
  | 'too_large'
  | 'too_many'
  | 'other'

/** One proposed, denied, cancelled or executed action. */
export interface Action {
  id: number | string
  status: 'proposed' | 'denied' | 'cancelled' | 'executed'
  /** It is executing: decided, and not ended. */
  isRunning: boolean
  /** The member has been asked to decide themselves. */
  isAsked: boolean
  member?: string | undefined
  message?: string | undefined
  /** What a consent is bound to. */
  digest?: string | undefined
  expiresAt?: string | undefined
  /** How the action was consented to. */
  strength?: string | undefined
  /** The consent that it needs, if the product says so. */
  consentRequired?: string | undefined
  /** How many recipients it reached, once executed. */
  delivered?: number | undefined
  isSandbox?: boolean | undefined
}

export interface Answer {
  /** `failed`: a fault of the server, or no answer. */
  outcome: 'done' | 'refused' | 'failed'
  why?: Refusal | undefined
  /** The HTTP status; 0 without an answer. */
  status: number
  /** A code for programs, if the product has one. */
  code?: string | undefined
  /** Refused for its digest alone. */
  isOfDigest?: boolean | undefined
  headers: Record<string, string>
  text: string
  ms: number
  tier?: string | undefined
  action?: Action | undefined
  actions?: Action[] | undefined
  /** Names of tools, where they were listed. */
  tools?: string[] | undefined
  /** The request in a line, without credentials. */
  request: string
}

export interface CallOptions {
  /** Another key than the agent's; null: none. */
  key?: string | null | undefined
  idempotencyKey?: string | undefined
  headers?: Record<string, string | string[]> | undefined
  /** Fields beside those of the call: what a request should not be able to say. */
  extra?: Record<string, unknown> | undefined
}

export interface RawRequest {
  method?: string | undefined
  /** Sent as it is: not normalised. Default: the address that takes proposals. */
  path?: string | undefined
  headers?: Record<string, string | string[]> | undefined
  /** null: no Authorization header. */
  key?: string | null | undefined
  body?: string | Uint8Array | undefined
}

export interface Proposal {
  member: unknown
  message: unknown
  rationale?: unknown
  kind?: unknown
}

/** What another product implements to be tested. */
export interface Adapter {
  name: string
  /** A confirm names a digest, and one that differs is refused. Without it attacks that confirm need `--allow-effects`. */
  bindsDigest: boolean
  readTier(member: unknown, options?: CallOptions): Promise<Answer>
  propose(proposal: Proposal, options?: CallOptions): Promise<Answer>
  read(id: unknown, options?: CallOptions): Promise<Answer>
  confirm(id: unknown, given: { member?: unknown; digest?: unknown }, options?: CallOptions): Promise<Answer>
  cancel(id: unknown, given: { member?: unknown }, options?: CallOptions): Promise<Answer>
  list(query: Record<string, unknown>, options?: CallOptions): Promise<Answer>
  readFile?(
    file: { conversation: string; path: string; member: unknown },
    options?: CallOptions,
  ): Promise<Answer>
  listTools?(options?: CallOptions): Promise<Answer>
  /** A call in the protocol of the transport with fields of any form, as one text: for what no client would send. */
  proposeText(body: string | Uint8Array, headers?: Record<string, string | string[]>): Promise<Answer>
  /** The text of a proposal as `proposeText` takes it. */
  proposalText(proposal: Proposal): string
  raw(request: RawRequest): Promise<Answer>
}

export interface Connection {
  url: string
  key: string
  /** How long a request may take, with the whole answer. Default: 30 seconds. */
  timeoutMs?: number | undefined
}

/** What the run has beside the agent's key. */
export interface Scene {
  /** May propose. */
  member?: Member | undefined
  other?: Member | undefined
  /** May not propose. */
  low?: Member | undefined
  secondKey?: string | undefined
  secondMember?: Member | undefined
  /** May read and propose, but not confirm. */
  limitedKey?: string | undefined
  revokedKey?: string | undefined
  runnerKey?: string | undefined
  /** A conversation in which the member takes part, and one in which they do not. */
  conversation?: string | undefined
  foreignConversation?: string | undefined
  allowEffects?: boolean | undefined
}

export type Need = Exclude<keyof Scene, 'allowEffects'> | 'effects'
export type Topic =
  | 'consent'
  | 'identity'
  | 'replay'
  | 'races'
  | 'bounds'
  | 'injection'
  | 'unicode'
  | 'keys'
  | 'apps'
  | 'sandbox'

/** What an attack works with. Every exchange is evidence; every proposal is cancelled at the end. */
export interface Trial {
  /** The product under test. */
  gate: Adapter
  /** It over the other transports of this run. */
  others: Adapter[]
  scene: Scene
  /** The member that proposes. */
  member: Member
  /** A text of this run alone, visible ASCII. */
  nonce(): string
  /** Text for a proposal, clearly marked as a test. */
  message(more?: string): string
  /** An open proposal. */
  propose(given?: Partial<Proposal>, options?: CallOptions): Promise<Action>
  /** Without effects a confirm carries a wrong digest, so that two checks would have to be missing. */
  confirm(
    action: Action,
    given?: { member?: unknown; digest?: unknown; gate?: Adapter },
    options?: CallOptions,
  ): Promise<Answer>
  /** @throws unless the request was refused, for one of these reasons if any are given */
  refused(answer: Answer, why: Refusal[] | undefined, claim: string): void
  done(answer: Answer, claim: string): void
  holds(condition: boolean, claim: string): void
  /** @throws unless the action is as it was: proposed, nobody asked, nothing running */
  stillOpen(action: Action): Promise<Action>
  /** The attack does not apply here. */
  skip(reason: string): never
}

export interface Attack {
  id: string
  topic: Topic
  /** What is tried, as an imperative. */
  title: string
  requirements: string[]
  needs: Need[]
  /** Default: every adapter. */
  transports?: string[] | undefined
  /** It confirms: without effects only where the digest protects. */
  confirms?: boolean | undefined
  run(trial: Trial): Promise<void>
}

export interface Exchange {
  request: string
  status: number
  answer: string
}

export interface Result {
  id: string
  transport: string
  topic: Topic
  title: string
  requirements: { id: string; text: string }[]
  verdict: 'passed' | 'failed' | 'not_applicable'
  /** Why it failed or does not apply. */
  reason?: string | undefined
  evidence: Exchange[]
  ms: number
}

export interface Run {
  tool: { name: string; version: string }
  url: string
  started_at: string
  passed: number
  failed: number
  not_applicable: number
  /** Proposals of this run that could not be cancelled. */
  left_open: (number | string)[]
  results: Result[]
}

export declare const attacks: Attack[]
export declare const requirements: Record<string, { text: string; source: string }>
export declare function restAdapter(connection: Connection): Adapter
export declare function mcpAdapter(connection: Connection): Adapter
/** Runs attacks one after another and cancels what they proposed. */
export declare function runAttacks(options: {
  url: string
  adapters: Adapter[]
  scene: Scene
  /** Ids; default: all. */
  only?: string[] | undefined
  secrets: string[]
  onResult?: ((result: Result) => void) | undefined
}): Promise<Run>
export declare function sarifOf(run: Run): object
export declare function reportText(run: Run): string
