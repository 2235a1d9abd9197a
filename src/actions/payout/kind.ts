import { z } from 'zod'
import { formatAmount } from '../../gate/money.ts'
import { defaultPolicy } from '../../gate/policy.ts'
import { limits } from '../../limits.ts'
import { amountCents, billingResult, currency, line } from '../billing/fields.ts'
import { billingPerformer } from '../billing/perform.ts'
import { factsOf, readForCard } from '../billing/facts.ts'
import { billingOf } from '../billing/reads.ts'
import type { ActionKind } from '../kind.ts'

const fields = {
  amount_cents: amountCents.meta({ description: 'Cents.' }),
  currency: currency.optional(),
  description: line(limits.descriptionCharsMax).optional(),
}
const payload = z.strictObject(fields)
type Given = z.output<typeof payload>
type FrozenPayout = { amount_cents: number; currency: string; credential: string } & Pick<
  Given,
  'description'
>

const balanceLabel = 'Balance after'

/** A transfer from the provider's balance to the account's own bank. */
export const payout: ActionKind<Given, FrozenPayout> = {
  kind: 'payout',
  payload,
  defaultRule: defaultPolicy.kinds['payout']!,
  isHttpProposable: false,
  movesMoneyAt: 'stripe',
  reaches: 'nobody',
  shows: {
    payload: z.object({
      amount_cents: z.int(),
      currency: z.string(),
      credential: z.string().meta({ description: 'The fingerprint of the provider key.' }),
      description: z.string().optional(),
    }),
    result: billingResult,
  },
  async freeze(deps, account, { amount_cents, currency: given, description }) {
    const currency = given ?? (await deps.currencyOf(account))
    const { fingerprint: credential } = await billingOf(deps, account)
    const available = await readForCard(deps, account, (provider) => provider.readAvailableCents(currency))
    return {
      payload: { amount_cents, currency, credential, ...(description === undefined ? {} : { description }) },
      facts: factsOf([
        ['Available balance', available === undefined ? undefined : formatAmount(available, currency)],
        [
          balanceLabel,
          available === undefined ? undefined : formatAmount(available - amount_cents, currency),
        ],
      ]),
    }
  },
  summary: ({ amount_cents, currency, description, credential }) => ({
    title: `Pay out ${formatAmount(amount_cents, currency)} to the account's own bank`,
    facts: [['To', 'the bank that is set at the payment provider']],
    written: description === undefined ? [] : [['Description', description]],
    details: [['Provider key', credential]],
  }),
  editable: ({ currency }) => [
    { at: '/amount_cents', label: 'Amount', way: 'lower', currency, leaves: balanceLabel },
  ],
  outcome: ({ amount_cents, currency }) => `Paid out ${formatAmount(amount_cents, currency)}`,
  weigh: ({ amount_cents, currency }) => ({ amountCents: amount_cents, currency }),
  // All payouts go to the account's one bank at the provider, whatever key is used.
  subject: () => 'default_destination',
  argumentsOf: ({ description }) => ({ description }),
  tool: {
    name: 'send_payout',
    title: 'Propose a payout',
    description: "Propose to pay out the provider's balance to the account's own bank.",
    group: 'billing',
    arguments: payload,
  },
  performer: billingPerformer<FrozenPayout>(({ amount_cents, currency, description, credential }) => ({
    type: 'payout',
    amountCents: amount_cents,
    currency,
    credential,
    ...(description === undefined ? {} : { description }),
  })),
}
