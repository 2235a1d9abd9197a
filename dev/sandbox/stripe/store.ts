import { openJsonLines } from '../json-lines.ts'
import type { KeptAnswer } from '../message-store.ts'
import { asOf } from './clock.ts'
import {
  nowSeconds,
  type Balance,
  type Metadata,
  type StripeKind,
  type StripeObject,
  type StripeObjects,
} from './objects.ts'
import { limits } from '../../../src/limits.ts'

/** An operation that would have moved money, or led to it. */
export interface StripeOperation {
  operation: 'refund' | 'payout' | 'cancellation' | 'checkout'
  /** The created or changed object: `re_…`, `po_…`, `sub_…`, `cs_…`. */
  id: string
  /** A description for people. */
  text: string
  /** In cents, if the operation has an amount. */
  amount?: number
  currency?: string
  /** From the request: identifies the action behind the operation. */
  metadata: Metadata
  /** UTC ISO 8601. */
  at: string
}

/** The stored answer for a repeated key, with `path` and `requestId` of its first request. */
export interface KeptStripeAnswer extends KeptAnswer {
  path: string
  requestId: string
}

/** One line of the file: everything one request stored. */
export interface StripeLine {
  put?: StripeObject[]
  operation?: StripeOperation
  key?: string
  answer?: KeptStripeAnswer
}

export type StripeStore = ReturnType<typeof openStripeStore>

/**
 * Stores the simulated Stripe data. Appended to the file before a request is answered.
 * @param seed  the initial objects, oldest first; called where nothing is stored yet
 * @param dataFile  JSON Lines; absent: memory only
 */
export function openStripeStore(seed: () => StripeObject[], dataFile?: string) {
  const kinds = new Map<StripeKind, Map<string, StripeObject>>()
  let operations: StripeOperation[] = []
  const answers = new Map<string, KeptStripeAnswer>()
  const file = openJsonLines<StripeLine>(dataFile)
  const lines = file.read()
  for (const line of lines.length > 0 ? lines : [{ put: seed() }]) take(line)
  file.rewrite(remembered())

  return {
    append(line: StripeLine): void {
      file.append(line)
      take(line)
    },
    find,
    /** An object of any kind. */
    findAny(id: string): StripeObject | undefined {
      for (const kind of kinds.keys()) {
        const found = find(kind, id)
        if (found) return found
      }
      return undefined
    },
    newestFirst<Kind extends StripeKind>(kind: Kind): StripeObjects[Kind][] {
      const now = nowSeconds()
      const objects = [...(kinds.get(kind)?.values() ?? [])] as StripeObjects[Kind][]
      return objects.toReversed().map((object) => asOf(object, now))
    },
    balance: (): Balance => find('balance', 'balance')!,
    operations: (limit: number = limits.sandboxOperationsMax) =>
      operations.slice(-Math.min(limit, limits.sandboxOperationsMax)).toReversed(),
    answerTo: (key: string) => answers.get(key),
    close: () => file.close(),
  }

  function find<Kind extends StripeKind>(kind: Kind, id: string): StripeObjects[Kind] | undefined {
    const found = kinds.get(kind)?.get(id) as StripeObjects[Kind] | undefined
    return found && asOf(found, nowSeconds())
  }

  /** A changed object keeps its position, so that each kind stays in the order of creation. */
  function take({ put = [], operation, key, answer }: StripeLine): void {
    for (const object of put) {
      const kind = kinds.get(object.object) ?? new Map<string, StripeObject>()
      kinds.set(object.object, kind.set(object.id, object))
      forgetOldest(kind, limits.sandboxObjectsPerKindMax)
    }
    if (operation) operations.push(operation)
    if (operations.length > 2 * limits.sandboxOperationsMax)
      operations = operations.slice(-limits.sandboxOperationsMax)
    if (key && answer) answers.set(key, answer)
    forgetOldest(answers, limits.sandboxAnswersMax)
  }

  function remembered(): StripeLine[] {
    return [
      ...[...kinds.values()].map((kind) => ({ put: [...kind.values()] })),
      ...operations.slice(-limits.sandboxOperationsMax).map((operation) => ({ operation })),
      ...[...answers].map(([key, answer]) => ({ key, answer })),
    ]
  }
}

function forgetOldest(map: Map<string, unknown>, max: number): void {
  if (map.size > max) map.delete(map.keys().next().value!)
}
