import type { Json } from '../canonical.ts'
import type { KindRule } from '../policy.ts'

/** A kind of action that an administrator declares in a document. */
export interface KindDocument {
  /** The name in the ledger, in snake_case. Never the name of a kind that the gate has itself. */
  kind: string
  /** The title of the decision card, written by the administrator: `Delete a customer`. */
  title: string
  /** For models: when to propose it. */
  description: string
  /** A bounded subset of JSON Schema 2020-12, of an object. */
  payload: { [keyword: string]: Json | undefined }
  /** Where the payload has its amount, in whole cents. Absent: the kind has no amount. */
  amount?: { cents: Pointer; currency: Pointer | { always: string } } | undefined
  /** What duplicates and daily limits count by. */
  subject?: Pointer | undefined
  card: CardLine[]
  /** What a member may change before they approve: single values that the card has a line for. The amount only downwards. */
  editable?: Pointer[] | undefined
  /** Applies where the account's policy does not name the kind. */
  default_rule: KindRule
  expires_after_hours?: number | undefined
  executor: Executor
}

/** A JSON Pointer into the payload: `/customer/id`. @source RFC 6901 */
export type Pointer = string

export interface CardLine {
  label: string
  value: Pointer
  format: (typeof cardFormats)[number]
}

/** How a line of a card shows its value. Only money and times are shown as facts; the rest is text of the agent. */
export const cardFormats = ['text', 'money', 'time', 'url'] as const

/** Who executes a declared kind. */
export type Executor =
  /** The gate calls an address. */
  | {
      type: 'webhook'
      url: string
      /** Asked for the outcome of a call whose answer was lost. `{id}` stands for the id of the call. */
      status_url?: string | undefined
    }
  /** Nobody is called: an agent of the member, or a service, claims the action and reports what it did. */
  | { type: 'claim'; lease_minutes: number }

/** The names that a pointer leads through: `/customer/id` → `customer`, `id`. They need no escapes. Pure. @source RFC 6901 */
export const namesOf = (pointer: Pointer): string[] => pointer.slice(1).split('/')

/** Whether JavaScript finds something under this name in every object: `constructor`, `toString`. Pure. */
export const isNameOfEveryObject = (name: string): boolean => Object.hasOwn(Object.prototype, name)
