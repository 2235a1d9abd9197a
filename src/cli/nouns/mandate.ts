import { z } from 'zod'
import { limitLines, worstCase } from '../../gate/mandates/words.ts'
import { endMandateNow, freezeMandateNow, mandateOf, mandatesOf } from '../../operations/mandates/mandates.ts'
import { viewMandate } from '../../operations/mandates/mandate-view.ts'
import { requireAccount } from '../../operations/require-account.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { account } from '../account-option.ts'
import type { CliContext } from '../context.ts'
import { defineVerb, required } from '../verb.ts'

const id = required(
  'ID',
  z
    .string()
    .regex(/^[1-9]\d{0,14}$/, 'must be a positive whole number')
    .transform(Number),
  'Number of the mandate, which is that of its action',
  '42',
)

/** Who holds the command line acts as an administrator. */
const asAdmin = (of: string) => ({ account: of, adminId: 'admin', memberId: null, tokenHash: null })

export const mandateVerbs = {
  list: defineVerb({
    summary: 'List the mandates in force of an account, with what is left of them',
    options: { account },
    columns: ['id', 'state', 'member', 'agent', 'allows', 'used', 'left', 'until'],
    empty: () => 'No mandates in force. A member signs one in the console: see docs/mandates.md.',
    async run(context, given) {
      await requireAccount(context.db(), given.account)
      return (await mandatesOf(context.db(), asAdmin(given.account))).map(viewMandate)
    },
  }),

  show: defineVerb({
    summary: 'Show a mandate: its limits and what is spent',
    options: { account, id },
    async run(context, given) {
      const mandate = await mandateOf(context.db(), asAdmin(given.account), given.id)
      const { terms, payload, spent } = mandate
      return {
        ...viewMandate(mandate),
        ...(terms
          ? {
              limits: terms.allows.flatMap((allowed) =>
                limitLines(allowed).map(([label, limit]) => `${label}: ${escapeInvisible(limit)}`),
              ),
              worst_case: worstCase(terms),
              terms,
              spent,
            }
          : { commands: payload.commands ?? [] }),
      }
    },
  }),

  freeze: defineVerb({
    summary: 'Freeze a mandate at once: its member is asked again until it is resumed',
    options: { account, id },
    run: (context, given) => freeze(context, given, true),
  }),

  resume: defineVerb({
    summary: 'Resume a mandate that an administrator froze',
    options: { account, id },
    run: (context, given) => freeze(context, given, false),
  }),

  end: defineVerb({
    summary: 'End a mandate at once; this cannot be undone',
    options: { account, id },
    async run(context, given) {
      await endMandateNow(context.db(), asAdmin(given.account), given.id)
      context.say(`Mandate ${given.id} ended.`)
      return { mandate: given.id, state: 'ended' }
    },
  }),
}

async function freeze(context: CliContext, given: { account: string; id: number }, isFrozen: boolean) {
  await freezeMandateNow(context.db(), asAdmin(given.account), given.id, isFrozen)
  context.say(`Mandate ${given.id} ${isFrozen ? 'frozen' : 'resumed'}.`)
  return { mandate: given.id, state: isFrozen ? 'frozen' : 'in force' }
}
