import { storePolicy } from '../../db/queries/accounts/policies.ts'
import { type Facts, readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { type ConsentStrength, consentStrengths } from '../../gate/consent.ts'
import {
  type KindRule,
  type Policy,
  type Weight,
  clearance,
  defaultPolicy,
  unconfirmedKinds,
} from '../../gate/policy.ts'
import { limitLines } from '../../gate/policy-lines.ts'
import { type Preset, presetRules } from '../../gate/preset.ts'
import type { Tier } from '../../gate/tier.ts'
import { accountPolicy } from '../proposals/account-policy.ts'
import { parseInput } from '../parse.ts'
import { type AdminContext, writeOf } from './context.ts'
import { noAccount } from './require-entity.ts'
import { type PolicyDocument, policyDocument } from './policy-document.ts'

/** What reading and setting policies needs: the command line has no more than this. */
export type PolicyDeps = Pick<Deps, 'db' | 'kinds'>

/** Who sets one, and whose. */
export type PolicyContext = AdminContext & Pick<Deps, 'kinds'>

/** The policy that holds, defaults included. @throws GateError `not_found` where there is no such account */
export async function policyInForce(deps: PolicyDeps, account: string): Promise<Policy> {
  return accountPolicy(await policyFacts(deps, account), deps.kinds.values())
}

/**
 * Says whether a tier suffices for an action by the policy that holds, and by which rule.
 * @throws GateError `not_found` where there is no such account
 */
export async function explainPolicy(
  deps: PolicyDeps,
  account: string,
  question: Question,
): Promise<Explained> {
  return explainByPolicy(await policyInForce(deps, account), question)
}

/** `confirmedCents`: what was confirmed of the same subject in the last 24 hours. */
export type Question = Weight & { tier: Tier; confirmedCents?: number | undefined }

export interface Explained {
  allowed: boolean
  rule: string
  consent: ConsentStrength | null
  /** Of a kind that is ruled by amount: what may be confirmed in 24 hours, a limit a line. */
  limits?: string[]
  /** Where the member decides themself: how long a changed e-mail or Slack identity of theirs does not suffice. */
  mailbox_settles_after_hours?: number
}

/** The same by any policy. Pure. */
export function explainByPolicy(
  policy: Policy,
  { tier, confirmedCents = 0, ...weight }: Question,
): Explained {
  const { allowed, rule, consent } = clearance(policy, weight, tier, { subjectCents: confirmedCents })
  const ruling = policy.kinds[weight.kind]
  const isBanded = ruling !== undefined && 'bands' in ruling
  const asksMember = consent !== null && consent !== 'agent_attested'
  return {
    allowed,
    rule,
    consent,
    ...(isBanded ? { limits: limitLines(weight.kind, ruling) } : {}),
    ...(asksMember ? { mailbox_settles_after_hours: policy.mailbox_settles_after_hours } : {}),
  }
}

/**
 * Replaces the kinds that a document names, and leaves the others. Of several who set at once, one is told that the
 * policy has moved.
 * @returns the policy that holds from now on
 * @throws GateError `conflict` where the document starts from another version, `not_found`
 */
export async function setPolicy(context: PolicyContext, document: PolicyDocument): Promise<Policy> {
  const { account } = context
  const facts = await policyFacts(context, account)
  const base = facts.policyVersion
  if (document.version !== undefined && document.version !== base)
    throw policyVersionConflict(document.version, base)
  const text = canonical(nextDocument(facts, document) as unknown as Json)
  const kinds = Object.keys(document.kinds ?? {})
  if ((await storePolicy(context.db, { ...writeOf(context), base, document: text, kinds })) === null)
    throw policyVersionConflict(base, (await policyFacts(context, account)).policyVersion)
  return policyInForce(context, account)
}

/**
 * The document of a preset, for an account: only the kinds that it changes.
 * @throws GateError `not_found` where there is no such account
 */
export async function presetDocument(
  deps: PolicyDeps,
  account: string,
  preset: Preset,
): Promise<{ inForce: Policy; document: PolicyDocument & { version: number } }> {
  const inForce = await policyInForce(deps, account)
  const rules = presetRules(preset, inForce, {
    defaults: defaultRules(deps),
    canAsk: (kind) => floorsFor(kind).includes('page'),
  })
  const changed = Object.entries(rules).filter(
    ([kind, rule]) =>
      canonical(rule as unknown as Json) !== canonical(inForce.kinds[kind] as unknown as Json),
  )
  return { inForce, document: { version: inForce.version, kinds: Object.fromEntries(changed) } }
}

/** Somebody else set a policy since a document was begun: from which version, and which is in force by now. */
export const policyVersionConflict = (from: number, inForce: number): GateError =>
  new GateError(
    'conflict',
    `That was begun from version ${from}, the policy is at version ${inForce} by now: somebody set it meanwhile. Nothing was set: look at what changed, and start from there.`,
  )

/** What is stored: all that the account ever set, without the defaults of what it did not. Pure. */
export function nextDocument(
  facts: Pick<Facts, 'policy'>,
  document: PolicyDocument,
): Omit<Policy, 'version'> {
  const { version: _, kinds = {}, ...rest } = document
  return { ...facts.policy, ...rest, kinds: { ...facts.policy?.kinds, ...kinds } } as Omit<Policy, 'version'>
}

/** @throws GateError `invalid` that names what of the input is no policy document */
export function parsePolicyDocument(deps: Pick<Deps, 'kinds'>, input: unknown): PolicyDocument {
  return parseInput(policyDocument(defaultRules(deps)), input) as PolicyDocument
}

/** The consent that a kind can ask for. Pure. */
export function floorsFor(kind: string): readonly ConsentStrength[] {
  return unconfirmedKinds.includes(kind) ? ['agent_attested'] : consentStrengths
}

/** The rule of every kind where no account sets another. Pure. */
export function defaultRules(deps: Pick<Deps, 'kinds'>): Record<string, KindRule> {
  return {
    ...defaultPolicy.kinds,
    ...Object.fromEntries([...deps.kinds.values()].map((kind) => [kind.kind, kind.defaultRule])),
  }
}

/** What an account's policy rests on. @throws GateError `not_found` where there is no such account */
export async function policyFacts({ db }: Pick<Deps, 'db'>, account: string): Promise<Facts> {
  const facts = await readFacts(db, account, { email: null, slack: null })
  if (!facts) throw noAccount(account)
  return facts
}
