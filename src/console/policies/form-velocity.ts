import { GateError } from '../../errors.ts'
import { amountText } from '../../gate/money.ts'
import { type DayLimits, type LimitScope, type Velocity, limitScopes } from '../../gate/velocity.ts'
import { type Fields, parseAmountField, parseNumber, countRows, usdFirst } from './form-values.ts'

// Converts daily limits to form fields and back. Empty member limits mean the defaults.

/** Values of the field `limits`: the member limits below apply, or none do. */
export const limitsBelow = 'below'
export const limitsOff = 'off'

/** The fields that limit the number of actions: per member, account and API key. */
export const actionsField: Record<LimitScope, string> = {
  member: 'actions_per_day',
  account: 'account_actions_per_day',
  key: 'key_actions_per_day',
}

/** The initial fields of the form. Pure. */
export function velocityFields(velocity: Velocity | 'off' | undefined): Fields {
  const { account, key, ...member } = velocity === 'off' ? { actions_per_day: null } : (velocity ?? {})
  const limits: Record<LimitScope, DayLimits> = { member, account: account ?? {}, key: key ?? {} }
  const isOff = member.actions_per_day === null || member.cents_per_day === null
  const days = limitScopes.flatMap((scope) =>
    usdFirst(Object.entries(limits[scope].cents_per_day ?? {})).map(([currency, cents]) => ({
      whose: scope,
      currency,
      amount: amountText(cents),
    })),
  )
  return {
    limits: isOff && !member.actions_per_day && !member.cents_per_day ? limitsOff : limitsBelow,
    ...Object.fromEntries(
      limitScopes.map((scope) => [actionsField[scope], String(limits[scope].actions_per_day ?? '')]),
    ),
    ...Object.assign(
      {},
      ...days.map(({ whose, currency, amount }, n) => ({
        [`day.${n}.whose`]: whose,
        [`day.${n}.currency`]: currency,
        [`day.${n}.amount`]: amount,
      })),
    ),
  }
}

/**
 * The velocity limits that a form sets for a kind; undefined for the defaults.
 * @throws GateError `invalid` with the field that cannot be read
 */
export function parseVelocityFields(fields: Fields, kind: string): Velocity | 'off' | undefined {
  const [member, account, key] = limitScopes.map((scope) => limitsIn(fields, kind, scope))
  const others = { ...(account ? { account } : {}), ...(key ? { key } : {}) }
  const hasOthers = Object.keys(others).length > 0
  if (fields[`${kind}.limits`] === limitsOff) return hasOthers ? { actions_per_day: null, ...others } : 'off'
  return member || hasOthers ? { ...member, ...others } : undefined
}

function limitsIn(fields: Fields, kind: string, scope: LimitScope): DayLimits | undefined {
  const actions = parseNumber(fields, `${kind}.${actionsField[scope]}`)
  const amounts = Array.from({ length: countRows(fields, kind, 'day', true) }, (_, n) => {
    const of = (name: string) => fields[`${kind}.day.${n}.${name}`]?.trim() ?? ''
    const amount = of('amount')
    if (amount === '' || (of('whose') || 'member') !== scope) return []
    return [
      [of('currency'), parseAmountField(amount, `${kind}, daily amount`, `${kind}.day.${n}.amount`)] as const,
    ]
  }).flat()
  if (new Set(amounts.map(([currency]) => currency)).size < amounts.length)
    throw new GateError(
      'invalid',
      `${kind} has two daily amounts for the same currency. Remove one of them.`,
      {
        param: `${kind}.velocity.cents_per_day`,
      },
    )
  if (actions === undefined && amounts.length === 0) return undefined
  return {
    ...(actions === undefined ? {} : { actions_per_day: actions }),
    ...(amounts.length === 0 ? {} : { cents_per_day: Object.fromEntries(amounts) }),
  }
}
