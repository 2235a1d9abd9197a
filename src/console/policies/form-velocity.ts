import { GateError } from '../../errors.ts'
import { amountText } from '../../gate/money.ts'
import { type DayLimits, type LimitScope, type Velocity, limitScopes } from '../../gate/velocity.ts'
import { type Fields, parseAmountField, parseNumber, countRows, usdFirst } from './form-values.ts'

// The limits of a day as the fields of a form, and back. A member's limits that are left empty are the defaults.

/** What `limits` of a kind may say: that a member's limits are those below, or that there are none. */
export const limitsBelow = 'below'
export const limitsOff = 'off'

/** The field that says how often: of a member, the account, or one API key. */
export const actionsField: Record<LimitScope, string> = {
  member: 'actions_per_day',
  account: 'account_actions_per_day',
  key: 'key_actions_per_day',
}

/** The fields that a form begins with. Pure. */
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
 * The velocity that a form holds for a kind; undefined where the defaults hold.
 * @throws GateError `invalid` that names what cannot be read in it
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
    return [[of('currency'), parseAmountField(amount, `${kind}, a day's amount`)] as const]
  }).flat()
  if (new Set(amounts.map(([currency]) => currency)).size < amounts.length)
    throw new GateError('invalid', `${kind} has two amounts a day of one currency: leave one of them.`)
  if (actions === undefined && amounts.length === 0) return undefined
  return {
    ...(actions === undefined ? {} : { actions_per_day: actions }),
    ...(amounts.length === 0 ? {} : { cents_per_day: Object.fromEntries(amounts) }),
  }
}
