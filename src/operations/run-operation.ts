import { readAction } from '../db/queries/actions/actions.ts'
import { GateError } from '../errors.ts'
import { isAdminPower } from '../keys/admin-powers.ts'
import type { KeyPower } from '../keys/rights.ts'
import { requireKeyNow } from './authenticate.ts'
import { namesActor } from './members/actor.ts'
import { type Answer, type CallContext, type Operation, type RestOperation, isReadOnly } from './operation.ts'
import { parseInput } from './parse.ts'
import { noteKeyRefused, noteWriteRefused } from './refused-write.ts'
import { recordRefusal } from './clearance/refusal.ts'
import { mayCall, lacksPower } from './key-powers.ts'

/**
 * Runs a verb for an API key. The key's powers are checked before anything is read. A write that the key has no power for, or
 * whose key was revoked meanwhile, leaves an entry in the ledger.
 * @param given  the input, not parsed yet
 * @param parse  for an input that carries more than the operation's own
 * @throws GateError `forbidden` where the key lacks the power, and what the operation throws
 */
export async function runOperation<Given extends RestOperation>(
  general: Given,
  context: CallContext,
  given: unknown,
  parse: Parse<Given> = (unparsed, { input }) => ({ input: parseInput(input, unparsed) }),
): Promise<Answer> {
  if (!mayCall(context, general)) throw await refuse(general, context, given)
  const operation = (general.forCall && (await general.forCall(context, given))) ?? general
  const { input, idempotencyKey = context.idempotencyKey } = parse(
    withOwnActor(context, operation, given),
    operation,
  )
  try {
    return await operation.run({ ...context, isRead: isReadOnly(operation), idempotencyKey }, input)
  } catch (error) {
    // The transport authenticates a kept key again, and notes what is to be noted.
    if (error instanceof GateError && error.code === 'unauthenticated' && !context.isKept)
      await noteKeyRefused(context.deps, context.keyHash, operation.name, context.source)
    throw error
  }
}

/** A key that is bound to one member need not name them: an actor without fields is theirs. */
function withOwnActor(context: CallContext, { input }: RestOperation, given: unknown): unknown {
  if (namesActor(context) || !('actor' in input.shape)) return given
  if (typeof given !== 'object' || given === null || Array.isArray(given)) return given
  const { actor } = given as { actor?: unknown }
  return actor === undefined || actor === null ? { ...given, actor: {} } : given
}

type Parse<Given> = (
  given: unknown,
  operation: Given | Operation,
) => { input: Record<string, unknown>; idempotencyKey?: string | undefined }

async function refuse(operation: RestOperation, context: CallContext, given: unknown): Promise<GateError> {
  const lacking = operation.powers[0]!
  if (!isReadOnly(operation) || isAdminPower(lacking)) {
    await requireKeyNow(context)
    await noteLack(operation, context, given, lacking)
  }
  return lacksPower(context, lacking)
}

/** A refused decision is recorded with its action, every other write with the account. */
async function noteLack(
  { name }: RestOperation,
  context: CallContext,
  given: unknown,
  lacking: KeyPower,
): Promise<void> {
  const { deps, account, source, keyHash } = context
  const id = (given as { id?: unknown } | null)?.id
  const isDecision = name === 'confirm_action' || name === 'cancel_action'
  const row =
    isDecision && Number.isSafeInteger(id) ? await readAction(deps.db, account, id as number) : undefined
  if (!row) return noteWriteRefused(context, name, `no_power_${lacking}`)
  const decision = name === 'confirm_action' ? 'confirm' : 'cancel'
  await recordRefusal(deps, row, {
    decision,
    reason: 'no_power',
    actor: 'unknown',
    source,
    apiKey: keyHash,
  })
}
