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

/** Something that would have moved money, or led to it. */
export interface StripeOperation {
  operation: 'refund' | 'payout' | 'cancellation' | 'checkout'
  /** Of what was made or changed: `re_…`, `po_…`, `sub_…`, `cs_…`. */
  id: string
  /** As a person would say it. */
  text: string
  /** In cents, where the operation has one. */
  amount?: number
  currency?: string
  /** As the request gave it: by it one finds what asked for the operation. */
  metadata: Metadata
  /** UTC ISO 8601. */
  at: string
}

/** What a repeated key is answered with. `path` and `requestId` of the request that had the key first. */
export interface KeptStripeAnswer extends KeptAnswer {
  path: string
  requestId: string
}

/** One line of the file: what one request left behind. */
export interface StripeLine {
  put?: StripeObject[]
  operation?: StripeOperation
  key?: string
  answer?: KeptStripeAnswer
}

export type StripeStore = ReturnType<typeof openStripeStore>

const objectsOfAKindMax = 10_000
const operationsMax = 10_000
const answersMax = 20_000

/**
 * The memory of Stripe's stand-in. Appended to the file before a request is answered.
 * @param seed  what there is at first, oldest first; asked where nothing is stored yet
 * @param dataFile  JSON lines; absent = memory only
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
    operations: (limit = operationsMax) => operations.slice(-Math.min(limit, operationsMax)).toReversed(),
    answerTo: (key: string) => answers.get(key),
    close: () => file.close(),
  }

  function find<Kind extends StripeKind>(kind: Kind, id: string): StripeObjects[Kind] | undefined {
    const found = kinds.get(kind)?.get(id) as StripeObjects[Kind] | undefined
    return found && asOf(found, nowSeconds())
  }

  /** What has changed keeps its place, so that each kind stays in the order in which it was made. */
  function take({ put = [], operation, key, answer }: StripeLine): void {
    for (const object of put) {
      const kind = kinds.get(object.object) ?? new Map<string, StripeObject>()
      kinds.set(object.object, kind.set(object.id, object))
      forgetOldest(kind, objectsOfAKindMax)
    }
    if (operation) operations.push(operation)
    if (operations.length > 2 * operationsMax) operations = operations.slice(-operationsMax)
    if (key && answer) answers.set(key, answer)
    forgetOldest(answers, answersMax)
  }

  function remembered(): StripeLine[] {
    return [
      ...[...kinds.values()].map((kind) => ({ put: [...kind.values()] })),
      ...operations.slice(-operationsMax).map((operation) => ({ operation })),
      ...[...answers].map(([key, answer]) => ({ key, answer })),
    ]
  }
}

function forgetOldest(map: Map<string, unknown>, max: number): void {
  if (map.size > max) map.delete(map.keys().next().value!)
}
