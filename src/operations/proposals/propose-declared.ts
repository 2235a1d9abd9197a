import { z } from 'zod'
import type { AccountKinds } from '../../actions/account-kinds.ts'
import type { ActionKind } from '../../actions/kind.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { type CallContext, type Operation, defineOperation } from '../operation.ts'
import { Replaces } from './replaces.ts'
import { Actor, Ask, Rationale } from '../schemas.ts'
import { answerRecorded, proposeByTool } from './propose-by-tool.ts'

export type { ActionKind }

/**
 * The operation that proposes any kind, as it is for one that the caller's account declared.
 * @param name  of a kind that the operation itself does not propose
 * @throws GateError `invalid` where the account has no such kind, or has retired it
 */
export async function forDeclaredKind(
  operation: Operation,
  context: CallContext,
  name: string,
): Promise<Operation> {
  const { deps, account } = context
  const kinds = await deps.kinds.now(account)
  const kind = kinds.get(name)
  if (kind?.declared && !kind.isRetired) return ofKind(operation, kind)
  const sentence = kind?.isRetired
    ? `The kind ${name} was retired and cannot be proposed. Ask an administrator to declare it again.`
    : `kind must be one of: ${proposableKinds(operation, context, kinds)}.`
  throw new GateError('invalid', sentence, { param: 'kind' })
}

/** The kinds that the operation proposes for a key, in words. If the key may propose none of them, those of its account. */
function proposableKinds(
  { proposes = [] }: Operation,
  { kinds: allowed }: Pick<CallContext, 'kinds'>,
  kinds: AccountKinds,
): string {
  const ofAccount = [...proposes, ...kindsInForce(kinds).map(({ kind }) => kind)]
  const ofKey = ofAccount.filter((kind) => allowed === null || allowed.includes(kind))
  const names = ofKey.length > 0 ? ofKey : ofAccount
  const named = names.slice(0, limits.kindsNamedMax).join(', ')
  const others = names.length - limits.kindsNamedMax
  return others > 0 ? `${named}, and ${others} more, which GET /llms.txt lists` : named
}

/** The declared kinds of an account that are not retired. Pure. */
export const kindsInForce = (kinds: AccountKinds): ActionKind[] =>
  [...kinds.values()].filter(({ declared, isRetired }) => declared && !isRetired)

/** The forms that the operation which proposes any kind has for these, to describe them. */
export function proposalsOfKinds(operations: Operation[], kinds: ActionKind[]): Operation[] {
  const general = operations.find(({ forCall }) => forCall)
  return general ? kinds.map((kind) => ofKind(general, kind)) : []
}

// Kinds are kept by version: so are their operations.
const kept = new WeakMap<ActionKind, Operation>()

function ofKind(operation: Operation, kind: ActionKind): Operation {
  const found = kept.get(kind)
  if (found) return found
  const input = z.strictObject({
    kind: z.literal(kind.kind),
    actor: Actor,
    payload: kind.payload,
    rationale: Rationale,
    replaces: Replaces,
    ask: Ask,
  })
  const made = defineOperation({
    ...operation,
    input,
    proposes: [kind.kind],
    run: (context: CallContext, { actor, payload, rationale, replaces, ask }: z.output<typeof input>) =>
      answerRecorded(context, { kind, actor, payload, rationale, replaces, ask }),
  } as Operation<typeof input>) as unknown as Operation
  kept.set(kind, made)
  return made
}

/** The operation that proposes a declared kind as its own MCP tool. */
export const toolOfKind = (kind: ActionKind): Operation =>
  proposeByTool({ ...kind, tool: kind.tool! }) as unknown as Operation
