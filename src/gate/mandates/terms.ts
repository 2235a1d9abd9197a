import { ruleChangeKind } from '../approvals/rule-change.ts'
import { type ConsentStrength, type RequestedStrength, meetsFloor, requestedStrengths } from '../consent.ts'
import type { RunnerRule } from '../runner-calls/rules.ts'

/** Whole cents by currency. A currency that is not named is not covered: no other one stands for it. */
export type CentsByCurrency = Record<string, number>

/** The kind of the action by which a member signs a bounded mandate. */
export const mandateKind = 'mandate'

/** What an argument may be. `id`: any number, yes or no, or a short id; never free text. */
export type ArgumentLimit = { in: string[] } | { template: string } | { any: 'id' }

/** What a mandate lets an agent do of one kind. */
export interface Allowance {
  kind: string
  /** The most that one action may be about; absent for kinds without money. */
  cents_each?: CentsByCurrency | undefined
  /** By name. An argument that is not named must be absent. */
  arguments?: Record<string, ArgumentLimit> | undefined
  /** Of tool calls of agent runners: the calls, as rules of the policy name them. */
  calls?: Pick<RunnerRule, 'tool' | 'match'> | undefined
}

/** The terms of a bounded mandate, as its member signed them. They are the payload of its action, and never change. */
export interface MandateTerms {
  /** The API key, or the connected app, that may use it; and its name when it was signed. */
  agent: string
  agent_name: string
  allows: Allowance[]
  /** The budget: how often, and how much, in all and in a day of UTC. */
  uses: number
  uses_per_day: number
  cents?: CentsByCurrency | undefined
  cents_per_day?: CentsByCurrency | undefined
  /** When it ends: ISO 8601. */
  until: string
  /** What signing it requires. */
  required_consent: RequestedStrength
}

/** What an administrator allows mandates for a kind to be. A kind without one has none. */
export interface MandateCeiling {
  /** The consent that signing requires. */
  consent: RequestedStrength
  /** What a use counts as at most; absent: as what the mandate was signed with. */
  counts_as?: ConsentStrength | undefined
  uses: number
  uses_per_day: number
  days: number
  /** For a kind with money all three are needed. */
  cents_each?: CentsByCurrency | undefined
  cents?: CentsByCurrency | undefined
  cents_per_day?: CentsByCurrency | undefined
}

/** Kinds whose one decision stands for many later ones: it is never one press with others. */
export const kindsOfMany: readonly string[] = [mandateKind, ruleChangeKind]

/** The strengths that a mandate can be signed with: it stands for many decisions. */
export const signingStrengths: readonly RequestedStrength[] = requestedStrengths.filter((one) =>
  meetsFloor(one, 'page'),
)

/** How long a mandate lasts at most. */
export const mandateDaysMax = 30

/** Kinds that no mandate is ever for, whatever the policy says: connections, and what decides about later consents. */
export const neverByMandate: readonly string[] = [
  'integration',
  mandateKind,
  'runner_mandate',
  'preview',
  ruleChangeKind,
]
