import { readFileSync } from 'node:fs'
import { z } from 'zod'
import { actionKinds } from '../actions/registry.ts'
import { isCurrency } from '../gate/money.ts'
import { type Policy } from '../gate/policy.ts'
import { limits } from '../limits.ts'
import {
  type PolicyDeps,
  explainPolicy,
  parsePolicyDocument,
  policyInForce,
  setPolicy,
} from '../operations/admin/policy.ts'
import { type PolicyDocument } from '../operations/admin/policy-document.ts'
import { type CliContext } from './context.ts'
import { accountId, line, tier, whole } from '../operations/admin/fields.ts'
import { UsageError, defineVerb, optional, required } from './verb.ts'

const account = required('ACCOUNT', accountId)
const currency = z.string().refine(isCurrency, 'must be a currency the gate can weigh, such as usd')
const inFull = (policy: Policy) => JSON.stringify(policy, null, 2)

export const policyVerbs = {
  show: defineVerb({
    summary: 'Show the policy that holds, defaults included',
    options: { account },
    run: (context, given) => policyInForce(depsOf(context), given.account),
    text: inFull,
  }),

  set: defineVerb({
    summary: 'Replace the kinds that a document names, and leave the others',
    options: { account, file: required('FILE', z.string().min(1, 'must name a file')) },
    run(context, given) {
      const document = readDocument(given.file)
      return setPolicy({ ...depsOf(context), account: given.account, session: null }, document)
    },
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
    run: (context, given) =>
      explainPolicy(depsOf(context), given.account, {
        kind: given.kind,
        amountCents: given['amount-cents'],
        currency: given.currency,
        tier: given.tier,
      }),
  }),
}

const kinds = new Map(actionKinds.map((kind) => [kind.kind, kind]))
const depsOf = (context: CliContext): PolicyDeps => ({ db: context.db(), kinds })

/** @throws UsageError where the file holds no policy document: it is a malformed value of `--file` */
function readDocument(file: string): PolicyDocument {
  const text = readText(file)
  try {
    return parsePolicyDocument({ kinds }, JSON.parse(text))
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
