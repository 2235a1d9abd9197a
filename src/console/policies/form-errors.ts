import { bandRows } from './form-fields.ts'
import { actionsField } from './form-velocity.ts'
import type { Fields } from './form-values.ts'

/**
 * The field of a policy form that a refusal concerns. The document names what was wrong in its own words, such as
 * `kinds.refund.bands.usd.1.tier`: the second band in ascending order, which may stand in any row. Pure.
 */
export function fieldOfParam(param: string, fields: Fields): string | undefined {
  const [root, kind = '', what, ...rest] = param.split('.')
  if (root === 'together_up_to_cents') return present(fields, param, `${root}.0.amount`)
  if (root !== 'kinds') return present(fields, param)
  if (what === 'bands') return present(fields, bandField(fields, kind, rest), `${kind}.band.0.up_to`)
  if (what === 'velocity') return present(fields, dayField(fields, kind, rest), `${kind}.limits`)
  return present(fields, `${kind}.${what}`, `${kind}.by`)
}

const present = (fields: Fields, ...names: (string | undefined)[]): string | undefined =>
  names.find((name) => name !== undefined && Object.hasOwn(fields, name))

const bandNames: Record<string, string> = { up_to_cents: 'up_to', tier: 'tier', consent: 'consent' }

function bandField(fields: Fields, kind: string, [currency, place, name]: string[]): string | undefined {
  const row = bandRows(fields, kind).filter((band) => band.currency === currency)[Number(place ?? 0)]
  return row && `${kind}.band.${row.n}.${bandNames[name ?? 'up_to_cents'] ?? 'up_to'}`
}

function dayField(fields: Fields, kind: string, path: string[]): string | undefined {
  const isOfMember = path[0] !== 'account' && path[0] !== 'key'
  const scope = isOfMember ? 'member' : (path[0] as 'account' | 'key')
  const [what, currency] = isOfMember ? path : path.slice(1)
  if (what === 'actions_per_day') return `${kind}.${actionsField[scope]}`
  const amount = Object.keys(fields).find((name) => {
    if (!name.startsWith(`${kind}.day.`) || !name.endsWith('.amount') || fields[name] === '') return false
    const of = (field: string) => fields[name.replace(/amount$/, field)]
    return of('whose') === scope && (currency === undefined || of('currency') === currency)
  })
  return amount ?? `${kind}.day.0.amount`
}
