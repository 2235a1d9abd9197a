import type { AccountKinds } from '../../actions/account-kinds.ts'
import { pagePolicies, storePolicy } from '../../db/queries/accounts/policies.ts'
import { type Facts, readFacts } from '../../db/queries/members/facts.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { type Json, canonical } from '../../gate/canonical.ts'
import { type ConsentStrength, consentStrengths, requestedStrengths } from '../../gate/consent.ts'
import type { DenialCode } from '../../gate/denial.ts'
import {
  type KindRule,
  type Policy,
  type Refusal,
  type Weight,
  clearance,
  defaultPolicy,
  ruleOfKind,
  unconfirmedKinds,
} from '../../gate/policy.ts'
import { type AccountMoney, isAllowedCurrency } from '../../gate/money.ts'
import { limitLines } from '../../gate/policy-lines.ts'
import { type Preset, presetRules } from '../../gate/preset.ts'
import { mandateKind, runnerKind } from '../../gate/runner/tool-call.ts'
import type { Tier } from '../../gate/tier.ts'
import { accountPolicy } from '../proposals/account-policy.ts'
import { parseInput } from '../parse.ts'
import { type AdminContext, writeOf } from './context.ts'
import { noAccount } from '../require-account.ts'
import { type PolicyDocument, policyDocument } from './policy-document.ts'

export type { AccountKinds }

/** The dependencies of reading and setting policies. */
export type PolicyDeps = Pick<Deps, 'db' | 'kinds'>

/** The account whose policy is set, and the session that sets it. */
export type PolicyContext = AdminContext & Pick<Deps, 'kinds'>

/** The policy in force, including defaults. @throws GateError `not_found` */
export async function policyInForce(deps: PolicyDeps, account: string): Promise<Policy> {
  return policyOf(deps, account, await policyFacts(deps, account))
}

/** The policy of an account as of its facts, with the rules of the kinds that it declared. */
export async function policyOf(deps: Pick<Deps, 'kinds'>, account: string, facts: Facts): Promise<Policy> {
  return accountPolicy(facts, (await deps.kinds.of(account, facts.kindsVersion)).values())
}

/**
 * Explains whether the policy in force allows an action for a tier, and by which rule.
 * @throws GateError `not_found`, `invalid` for a kind that the account does not have
 */
export async function explainPolicy(
  deps: PolicyDeps,
  account: string,
  question: Question,
): Promise<Explained> {
  const facts = await policyFacts(deps, account)
  const kinds = await deps.kinds.of(account, facts.kindsVersion)
  const policy = accountPolicy(facts, kinds.values())
  const isRetired = kinds.get(question.kind)?.isRetired
  if (!isRetired && !ruleOfKind(policy, question.kind)) throw unknownKind(policy, question.kind)
  return explainByPolicy(policy, { ...question, isRetired })
}

function unknownKind({ kinds }: Policy, kind: string): GateError {
  const names = Object.keys(kinds).toSorted().join(', ')
  return new GateError('invalid', `Unknown kind ${kind}. Use one of: ${names}.`, { param: 'kind' })
}

/** `confirmedCents`: confirmed for the same subject in the last 24 hours. */
export type Question = Weight & { tier: Tier; confirmedCents?: number | undefined }

export interface Explained {
  allowed: boolean
  rule: string
  consent: ConsentStrength | null
  /** Where it is not allowed. */
  denial_code?: DenialCode
  /** The tier that would suffice. */
  needed_tier?: Tier
  /** For kinds ruled by amount: the limits per 24 hours, one per line. */
  limits?: string[]
  /** Where the member's own consent is required: how long a changed e-mail or Slack identity is not enough. */
  mailbox_settles_after_hours?: number
}

/** The same by any policy. Pure. */
export function explainByPolicy(
  policy: Policy,
  { tier, confirmedCents = 0, ...weight }: Question,
): Explained {
  const cleared = clearance(policy, weight, tier, { subjectCents: confirmedCents })
  const { allowed, rule, consent } = cleared
  const ruling = ruleOfKind(policy, weight.kind)
  const isBanded = ruling !== undefined && 'bands' in ruling
  const asksMember = consent !== null && consent !== 'agent_attested'
  return {
    allowed,
    rule,
    consent,
    ...(cleared.allowed ? {} : explainRefusal(cleared)),
    ...(isBanded ? { limits: limitLines(weight.kind, ruling, policy) } : {}),
    ...(asksMember ? { mailbox_settles_after_hours: policy.mailbox_settles_after_hours } : {}),
  }
}

/** A change of the policy: a document over the one in force, or the version whose document is set again. */
export type PolicyEdit = PolicyDocument & { restores?: number | undefined }

const explainRefusal = ({ code, needed }: Refusal): Pick<Explained, 'denial_code' | 'needed_tier'> => ({
  denial_code: code,
  ...(code === 'tier_insufficient' && needed !== null ? { needed_tier: needed } : {}),
})

/**
 * Replaces the kinds in a document and keeps the others, or sets the document of an earlier version again. Of concurrent
 * writes, only the first succeeds.
 * @param note  why, in one line
 * @returns the new policy in force
 * @throws GateError `conflict` where the document is based on another version, `not_found`
 */
export async function setPolicy(context: PolicyContext, edit: PolicyEdit, note?: string): Promise<Policy> {
  const { account } = context
  const facts = await policyFacts(context, account)
  const base = facts.policyVersion
  if (edit.version !== undefined && edit.version !== base) throw policyVersionConflict(edit.version, base)
  const next = await documentToStore(context, account, { facts, edit })
  const stored = await storePolicy(context.db, {
    ...writeOf(context),
    base,
    document: canonical(next as unknown as Json),
    kinds: Object.keys((edit.restores === undefined ? edit : next).kinds ?? {}),
    note,
    restores: edit.restores,
  })
  if (stored === null) throw policyVersionConflict(base, (await policyFacts(context, account)).policyVersion)
  return policyInForce(context, account)
}

/**
 * The document of a preset for an account: only the kinds it changes.
 * @throws GateError `not_found`
 */
export async function presetDocument(
  deps: PolicyDeps,
  account: string,
  preset: Preset,
): Promise<{ inForce: Policy; document: PolicyDocument & { version: number } }> {
  const [inForce, kinds] = await Promise.all([policyInForce(deps, account), deps.kinds.now(account)])
  const rules = presetRules(preset, inForce, {
    defaults: defaultRules(kinds),
    canAsk: (kind) => floorsFor(kind).includes('page'),
  })
  const changed = Object.entries(rules).filter(
    ([kind, rule]) =>
      canonical(rule as unknown as Json) !== canonical(ruleOfKind(inForce, kind) as unknown as Json),
  )
  return { inForce, document: { version: inForce.version, kinds: Object.fromEntries(changed) } }
}

/** The error for a document that is based on an earlier version than the one in force. */
export const policyVersionConflict = (from: number, inForce: number): GateError =>
  new GateError(
    'conflict',
    `Your edit is based on version ${from}, but version ${inForce} is in force. Nothing was saved. Check what changed, then edit the current version.`,
  )

/**
 * The document to store: everything the account has set, without defaults.
 * @throws GateError `not_found` where there is no such version to restore, `invalid` where its rules are no longer possible
 */
export async function documentToStore(
  deps: PolicyDeps,
  account: string,
  { facts, edit: { restores, ...document } }: { facts: Pick<Facts, 'policy'>; edit: PolicyEdit },
): Promise<Omit<Policy, 'version'>> {
  if (restores === undefined) return withOwnCurrency(nextDocument(facts, document))
  // Version 1 is not stored: it sets nothing.
  if (restores === 1) return { kinds: {} } as Omit<Policy, 'version'>
  const [row] = await pagePolicies(deps.db, account, { before: restores + 1, limitRows: 1 })
  if (row?.version !== restores) throw noPolicyVersion(restores)
  parsePolicyDocument(await deps.kinds.now(account), row.document)
  return row.document
}

export const noPolicyVersion = (version: number): GateError =>
  new GateError('not_found', `Policy version ${version} was not found in this account.`)

function nextDocument(facts: Pick<Facts, 'policy'>, document: PolicyDocument): Omit<Policy, 'version'> {
  const { version: _, kinds = {}, ...rest } = document
  return { ...facts.policy, ...rest, kinds: { ...facts.policy?.kinds, ...kinds } } as Omit<Policy, 'version'>
}

/** @throws GateError `invalid` where the account does not allow the currency that it reckons in */
function withOwnCurrency<Document extends AccountMoney>(document: Document): Document {
  const { currency } = document
  if (currency === undefined || isAllowedCurrency(document, currency)) return document
  throw new GateError(
    'invalid',
    `currency is ${currency}, which currencies does not allow: ${document.currencies!.join(', ')}. Nothing was saved.`,
    { param: 'currency' },
  )
}

/** @throws GateError `invalid` with the part that is not valid */
export function parsePolicyDocument(kinds: AccountKinds, input: unknown): PolicyDocument {
  return parseInput(policyDocument(defaultRules(kinds), kinds), input) as PolicyDocument
}

/** The consent strengths that a kind can require. Pure. */
export function floorsFor(kind: string): readonly ConsentStrength[] {
  if (unconfirmedKinds.includes(kind)) return ['agent_attested']
  return kind === runnerKind || kind === mandateKind ? requestedStrengths : consentStrengths
}

/** The default rule of every kind that is not retired. Pure. */
export function defaultRules(kinds: AccountKinds): Record<string, KindRule> {
  const inForce = [...kinds.values()].filter(({ isRetired }) => !isRetired)
  return {
    ...defaultPolicy.kinds,
    ...Object.fromEntries(inForce.map((kind) => [kind.kind, kind.defaultRule])),
  }
}

/** The stored facts of an account's policy. @throws GateError `not_found` */
export async function policyFacts({ db }: Pick<Deps, 'db'>, account: string): Promise<Facts> {
  const facts = await readFacts(db, account, { email: null, slack: null })
  if (!facts) throw noAccount(account)
  return facts
}
