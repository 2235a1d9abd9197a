import type { Performer } from '../../src/actions/kind.ts'
import type { Db } from '../../src/db/connect.ts'
import { addKind } from '../../src/operations/kinds/declared-kinds.ts'
import { taskQueue } from '../../src/temporal/names.ts'

/** The document of a kind that deletes customers, with changes. */
export const customerDeletion = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  kind: 'customer_deletion',
  title: 'Delete a customer',
  description: 'Delete a customer and everything that belongs to them.',
  payload: {
    type: 'object',
    properties: {
      customer: {
        type: 'object',
        properties: {
          id: { type: 'string', maxLength: 40, description: 'The id of the customer.' },
          name: { type: 'string' },
        },
        required: ['id'],
      },
      why: { type: 'string', maxLength: 200 },
      keep_invoices: { type: 'boolean' },
    },
    required: ['customer'],
  },
  subject: '/customer/id',
  card: [
    { label: 'Customer', value: '/customer/id', format: 'text' },
    { label: 'Customer name', value: '/customer/name', format: 'text' },
  ],
  default_rule: { tier: 'guarded_write', consent: 'agent_attested' },
  executor: { type: 'claim', lease_minutes: 10 },
  ...changes,
})

/** The document of a kind with an amount: a credit note. */
export const creditNote = (changes: Record<string, unknown> = {}): Record<string, unknown> => ({
  kind: 'credit_note',
  title: 'Credit note',
  description: 'Credit a customer.',
  payload: {
    type: 'object',
    properties: {
      customer: { type: 'string', maxLength: 40 },
      cents: { type: 'integer', minimum: 1, maximum: 10_000_000 },
      currency: { type: 'string', enum: ['usd', 'eur'] },
    },
    required: ['customer', 'cents', 'currency'],
  },
  amount: { cents: '/cents', currency: '/currency' },
  subject: '/customer',
  card: [{ label: 'Customer', value: '/customer', format: 'text' }],
  default_rule: {
    bands: {
      usd: [
        { up_to_cents: 10_000, tier: 'guarded_write', consent: 'agent_attested' },
        { up_to_cents: 100_000, tier: 'write', consent: 'agent_attested' },
      ],
    },
  },
  executor: { type: 'claim', lease_minutes: 10 },
  ...changes,
})

/** Declares a kind, or a next version of it, as the command line does. */
export const declare = (db: Db, account: string, document: Record<string, unknown>) =>
  addKind({ db, account, session: null }, document)

/** Performs at once, and keeps what it performed: the version of the kind, and the action's number. */
export function throwawayPerformer(
  performed: string[],
): (document: { kind: string; title: string }) => Performer {
  return ({ kind, title }) => ({
    plan: async () => [{ queue: taskQueue.gate, name: 'execute', isQuick: true }],
    async perform(_deps, row) {
      performed.push(`${kind} ${row.id}: ${title}`)
    },
    conclude: async () => ({ status: 'executed', closedReason: null, result: { outcome: 'done' } }),
  })
}
