import { appendFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Reply } from './answers.ts'

/** What an agent wants to propose, once, however often it asks: all attempts carry one Idempotency-Key. */
export interface Intent {
  n: number
  account: string
  kind: string
  /** The member for whom it is proposed, by e-mail address. */
  actor: string
  /** A text that only this intent's row has: its message, or its rationale. */
  marker: string
  /** The declined action that it answers. */
  replaces?: number | undefined
  attempts: Reply[]
}

export type DecisionVerb = 'confirm' | 'cancel'

/** One attempt to decide about a row. */
export interface Decision {
  account: string
  /** The intent whose row it is about. */
  marker: string
  verb: DecisionVerb
  /** How it came: by an agent's key, the link in a mail, or a button in Slack. */
  via: 'agent' | 'email' | 'slack'
  /** The member who decides, by id; absent: an agent does. */
  by?: string
  key?: string
  /** The beginning of the digest on the card that a member was shown. */
  shown?: string | undefined
  /** What they entered into the form before they approved. */
  edit?: Record<string, string> | undefined
  /** Why they declined. */
  reason?: string | undefined
  /** A passkey of theirs signed it. */
  isSigned?: boolean
  reply: Reply
}

/** A mandate that a member wants to sign, for one agent. */
export interface MandateMade {
  account: string
  /** The member, by e-mail address. */
  actor: string
  /** The id of the agent's API key. */
  agent: string
  kinds: string[]
  /** A text that only this mandate has, as the name of an argument. */
  marker: string
  proposed: Reply
  id?: number | undefined
  /** The press on its card, where there was one. */
  signed?: Reply | undefined
}

/** One attempt to freeze, resume or end a mandate. */
export interface MandateChange {
  account: string
  id: number
  verb: 'freeze' | 'resume' | 'end'
  outcome: Reply['outcome']
}

/** A deputy that a member wants to name. */
export interface DelegationMade {
  account: string
  from: string
  to: string
  /** Only this delegation has it. */
  reason: string
  outcome: Reply['outcome']
}

/** One attempt to end a delegation. */
export interface DelegationEnd {
  account: string
  id: string
  outcome: Reply['outcome']
}

/** One attempt of an administrator to change something. */
export interface AdminChange {
  account: string
  eventId: string
  what: string
  /** The kind of entry that it leaves, if it changed anything. */
  entry: string
  mayChangeNothing: boolean
  outcome: Reply['outcome']
}

/** One answer to a call of an agent's tool. */
export interface ToolAsked {
  account: string
  keyId: string
  callId: string
  needsConsent: boolean
  outcome: Reply['outcome']
  decision: string | undefined
  action: number | undefined
}

/** One attempt of an executor to claim an action, and what it reported of it. */
export interface ClaimMade {
  account: string
  id: number
  reply: Reply
  reports: { outcome: string; result: object; reply: Reply }[]
}

/** One call of a tool whose rule asks nobody. */
export interface PassedCall {
  account: string
  tool: string
  /** A text that only this call has. */
  marker: string
  reply: Reply
}

/** One reading of a row that had ended. */
export interface Seen {
  account: string
  id: number
  body: any
  /** After everything has healed. */
  isLast?: boolean
}

/** Something that no order of faults excuses, where it was seen. */
export interface Oddity {
  rule: string
  what: string
}

/** One try to execute an action in place of those who must approve it. */
export interface GlassBreak {
  account: string
  id: number
  by: string
  /** The beginning of the digest on its page. */
  shown: string | undefined
  outcome: Reply['outcome']
}

/** All that the workload was answered: what the model judges at the end. */
export interface Journal {
  intents: Intent[]
  decisions: Decision[]
  changes: AdminChange[]
  tools: ToolAsked[]
  claims: ClaimMade[]
  mandates: MandateMade[]
  mandateChanges: MandateChange[]
  delegations: DelegationMade[]
  delegationEnds: DelegationEnd[]
  glassBreaks: GlassBreak[]
  passed: PassedCall[]
  /** Checks of a member's capability: each that is answered is a row. */
  checks: { account: string; outcome: Reply['outcome'] }[]
  seen: Seen[]
  oddities: Oddity[]
  /** Writes a line to the log of the model. */
  log(entry: object): void
  odd(rule: string, what: string): void
  /** Requests that were answered, for progress. */
  answered: number
}

export function openJournal(folder: string): Journal {
  const file = join(folder, 'model.jsonl')
  const log = (entry: object) => appendFileSync(file, `${JSON.stringify({ at: Date.now(), ...entry })}\n`)
  const oddities: Oddity[] = []
  return {
    intents: [],
    decisions: [],
    changes: [],
    tools: [],
    claims: [],
    mandates: [],
    mandateChanges: [],
    delegations: [],
    delegationEnds: [],
    glassBreaks: [],
    passed: [],
    checks: [],
    seen: [],
    oddities,
    answered: 0,
    log,
    odd(rule, what) {
      oddities.push({ rule, what })
      log({ odd: rule, what })
    },
  }
}
