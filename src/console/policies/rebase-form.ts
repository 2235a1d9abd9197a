import { noBand } from './form-fields.ts'
import type { Fields } from './form-values.ts'

/**
 * Applies a user's form changes to a policy that was set in the meantime: kinds the user changed keep the user's
 * values, all others take the current ones. Pure.
 */
export function rebaseForm(filled: Fields, base: Fields, now: Fields): Fields {
  const partOf = (name: string) => name.split('.')[0]!
  const isTouched = (part: string) =>
    [...Object.keys(filled), ...Object.keys(base)].some(
      (name) => partOf(name) === part && (filled[name] ?? '') !== (base[name] ?? '') && !isIdle(name, filled),
    )
  const parts = new Set([...Object.keys(filled), ...Object.keys(now)].map(partOf))
  parts.delete('version')
  parts.delete('do')
  const kept = [...parts].flatMap((part) =>
    Object.entries(isTouched(part) ? filled : now).filter(([name]) => partOf(name) === part),
  )
  return { ...Object.fromEntries(kept), version: now['version'] ?? '' }
}

// A form also sends the selects of empty rows, and of the ruling (by amount or by tier) that is not chosen.
function isIdle(name: string, filled: Fields): boolean {
  const [kind, what, n] = name.split('.')
  if (what === 'band' || what === 'day') {
    const of = (field: string) => filled[`${kind}.${what}.${n}.${field}`] ?? ''
    const isGone = filled[name] === undefined
    return !isGone && of('tier') === noBand && of('up_to') === '' && of('amount') === ''
  }
  return filled[`${kind}.by`] === 'amount' && ['tier', 'consent'].includes(what ?? '')
}
