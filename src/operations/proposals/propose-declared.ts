import { z } from 'zod'
import type { AccountKinds } from '../../actions/account-kinds.ts'
import type { ActionKind } from '../../actions/kind.ts'
import { type CallContext, type Operation, defineOperation } from '../operation.ts'
import { Actor, Rationale } from '../schemas.ts'
import { answerRecorded, proposeByTool } from './propose-by-tool.ts'

export type { ActionKind }

/**
 * The operation that proposes any kind, as it is for one that the caller's account declared.
 * @returns undefined where the account has no such kind, or has retired it
 */
export async function forDeclaredKind(
  operation: Operation,
  { deps, account }: CallContext,
  given: unknown,
): Promise<Operation | undefined> {
  const name = (given as { kind?: unknown } | null)?.kind
  if (typeof name !== 'string' || deps.kinds.own.has(name)) return undefined
  const kind = (await deps.kinds.now(account)).get(name)
  return kind?.declared && !kind.isRetired ? ofKind(operation, kind) : undefined
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
  })
  const made = defineOperation({
    ...operation,
    input,
    proposes: [kind.kind],
    run: (context: CallContext, { actor, payload, rationale }: z.output<typeof input>) =>
      answerRecorded(context, { kind, actor, payload, rationale }),
  } as Operation<typeof input>) as unknown as Operation
  kept.set(kind, made)
  return made
}

/** The operation that proposes a declared kind as its own MCP tool. */
export const toolOfKind = (kind: ActionKind): Operation =>
  proposeByTool({ ...kind, tool: kind.tool! }) as unknown as Operation
