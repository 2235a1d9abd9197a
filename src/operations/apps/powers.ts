import { type KeyPower, agentPowers } from '../../keys/rights.ts'

/** The powers that an app can be given, as scopes. `confirm` only where a person adds it. */
export const signablePowers = agentPowers

export type SignablePower = (typeof signablePowers)[number]

/** What an app gets that asks for nothing in particular. */
const usual: readonly KeyPower[] = ['read', 'propose']

/** The powers that a scope names, in their order; what it names otherwise counts for nothing. Pure. */
export const powersIn = (scope: string): SignablePower[] => {
  const named = new Set(scope.split(' '))
  return signablePowers.filter((power) => named.has(power))
}

/** What an app asks for: what its scope names of what is usual, or else that. Pure. */
export function askedPowers(scope: string | undefined): SignablePower[] {
  const asked = powersIn(scope ?? '').filter((power) => usual.includes(power))
  return asked.length === 0 ? signablePowers.filter((power) => usual.includes(power)) : asked
}
