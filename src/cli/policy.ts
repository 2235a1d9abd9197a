import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { actionKinds } from '../actions/registry.ts'
import { type Facts, readFacts } from '../db/queries/facts.ts'
import { storePolicy } from '../db/queries/policies.ts'
import { GateError } from '../errors.ts'
import { type Json, canonical } from '../gate/canonical.ts'
import { isCurrency } from '../gate/money.ts'
import { type KindRule, type Policy, clearance, defaultPolicy } from '../gate/policy.ts'
import { adminEvent } from '../ledger/admin-event.ts'
import { sha256 } from '../ledger/digest.ts'
import { limits } from '../limits.ts'
import { accountPolicy } from '../operations/account-policy.ts'
import { parseInput } from '../operations/parse.ts'
import { type CliContext } from './context.ts'
import { noAccount } from './found.ts'
import { type PolicyDocument, askedAmong, policyDocument } from './policy-document.ts'
import { accountId, line, tier, whole } from './values.ts'
import { UsageError, defineVerb, optional, required } from './verb.ts'

const account = required('ACCOUNT', accountId)
const currency = z.string().refine(isCurrency, 'must be a currency the gate can weigh, such as usd')
const decidedByLink = new Set(actionKinds.filter((kind) => kind.isDecidedByLink).map((kind) => kind.kind))
const inFull = (policy: Policy) => JSON.stringify(policy, null, 2)

export const policyVerbs = {
  show: defineVerb({
    summary: 'Show the policy that holds, defaults included',
    options: { account },
    run: async (context, given) => policyOf(await factsOf(context, given.account)),
    text: inFull,
  }),

  set: defineVerb({
    summary: 'Replace the kinds that a document names, and leave the others',
    options: { account, file: required('FILE', z.string().min(1, 'must name a file')) },
    run: (context, given) => setPolicy(context, given.account, readDocument(given.file)),
    text: inFull,
  }),

  explain: defineVerb({
    summary: 'Say whether a tier suffices for an action, and by which rule',
    options: {
      account,
      kind: required('KIND', line(limits.kindCharsMax)),
      'amount-cents': optional('N', whole(0, limits.amountCentsMax)),
      currency: optional('CURRENCY', currency),
      tier: required('TIER', tier),
    },
    async run(context, given) {
      const weight = { kind: given.kind, amountCents: given['amount-cents'], currency: given.currency }
      const policy = policyOf(await factsOf(context, given.account))
      const { allowed, rule, consent } = clearance(policy, weight, given.tier)
      return { allowed, rule, consent }
    },
  }),
}

async function setPolicy(context: CliContext, account: string, document: PolicyDocument): Promise<Policy> {
  const [byLink] = askedAmong(document, decidedByLink)
  if (byLink !== undefined) {
    throw new GateError(
      'invalid',
      `${byLink} is decided by whoever opens its link, which proves no more than agent_attested: it can have no other consent.`,
    )
  }
  const facts = await factsOf(context, account)
  const base = facts.policyVersion
  const { version, kinds = {}, ...rest } = document
  if (version !== undefined && version !== base) {
    throw new GateError(
      'conflict',
      `The document names version ${version}, the policy is at version ${base}: start from \`policy show\`.`,
    )
  }
  const next = { ...facts.policy, ...rest, kinds: { ...facts.policy?.kinds, ...kinds } }
  const text = canonical(next as unknown as Json)
  const event = adminEvent.policySet(base + 1, Object.keys(kinds), sha256(text).toString('hex'))
  if ((await storePolicy(context.db(), { account, base, document: text, event })) === null) {
    throw new GateError(
      'conflict',
      'The policy was changed by somebody else meanwhile: look at it and set it again.',
    )
  }
  return policyOf(await factsOf(context, account))
}

/** @throws UsageError where the file holds no policy document: it is a malformed value of `--file` */
function readDocument(file: string): PolicyDocument {
  const text = readText(file)
  try {
    return parseInput(policyDocument(defaultRules()), JSON.parse(text)) as PolicyDocument
  } catch (error) {
    throw new UsageError(
      `--file ${file} is not a policy document: ${(error as Error).message.replace(/\.$/, '')}`,
    )
  }
}

function readText(file: string): string {
  let text: string
  try {
    text = readFileSync(file, 'utf8')
  } catch (error) {
    throw new UsageError(`--file cannot be read: ${(error as Error).message}`)
  }
  if (text.length > limits.policyDocumentCharsMax) {
    throw new UsageError(`--file ${file} has more than ${limits.policyDocumentCharsMax} characters`)
  }
  return text
}

function defaultRules(): Record<string, KindRule> {
  return {
    ...defaultPolicy.kinds,
    ...Object.fromEntries(actionKinds.map((kind) => [kind.kind, kind.defaultRule])),
  }
}

async function factsOf(context: CliContext, account: string): Promise<Facts> {
  const facts = await readFacts(context.db(), account, { email: null, slack: null })
  if (!facts) throw noAccount(account)
  return facts
}

const policyOf = (facts: Facts) => accountPolicy(facts, actionKinds)
