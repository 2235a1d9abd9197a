import type { RequestedStrength } from './consent.ts'
import { type Denial, denial } from './denial.ts'

/** A passkey of a member, as far as decisions depend on it. */
export interface PasskeyAge {
  addedAt: Date
  /** It cannot leave the device that made it. */
  isDeviceBound: boolean
}

/** What a policy demands of passkeys. */
export interface PasskeyPolicy {
  /** A younger one proves no more than the page that it is used on. 0: it counts at once. */
  passkey_settles_after_hours: number
  passkey_device_bound: boolean
}

/** What a decision with a passkey proves: `page` where the policy does not accept it as one. Pure. */
export function passkeyStrength(passkey: PasskeyAge, policy: PasskeyPolicy, now: Date): 'page' | 'passkey' {
  if (policy.passkey_device_bound && !passkey.isDeviceBound) return 'page'
  return now < passkeySettlesAt(passkey, policy) ? 'page' : 'passkey'
}

/** From when a passkey decides what requires one. Pure. */
export const passkeySettlesAt = ({ addedAt }: PasskeyAge, policy: PasskeyPolicy): Date =>
  new Date(addedAt.getTime() + policy.passkey_settles_after_hours * 3_600_000)

/** The passkeys that the policy accepts, now or once they are old enough. Pure. */
export const acceptedPasskeys = <P extends PasskeyAge>(passkeys: readonly P[], policy: PasskeyPolicy): P[] =>
  passkeys.filter(({ isDeviceBound }) => isDeviceBound || !policy.passkey_device_bound)

/** The denial of an action that requires a passkey where its member has none that the policy accepts; null elsewhere. Pure. */
export function withoutPasskey(
  rule: string,
  floor: RequestedStrength,
  passkeys: readonly PasskeyAge[],
  policy: PasskeyPolicy,
): Denial | null {
  if (floor !== 'passkey' || acceptedPasskeys(passkeys, policy).length > 0) return null
  const which = policy.passkey_device_bound ? 'a passkey that is bound to its device' : 'a passkey'
  const sentence = `${rule}. The policy also requires \`passkey\` consent, but the member has not added ${which}. Have them add one in the console, under Your passkeys, then propose the action again.`
  return denial('cannot_be_asked', sentence)
}

/** Why a decision with a passkey is not enough, for the member. Pure. */
export function passkeyRefusal(passkey: PasskeyAge, policy: PasskeyPolicy): string {
  return policy.passkey_device_bound && !passkey.isDeviceBound
    ? 'The policy requires a passkey that is bound to its device, and this one is synced to others. Nothing was executed, and the request stays open. Use another passkey.'
    : `You added this passkey recently. It decides from ${passkeySettlesAt(passkey, policy).toISOString()}. Nothing was executed, and the request stays open. Decide after that time, or use another passkey.`
}

/** For the member who decided without a passkey. Pure. */
export const passkeyRequired =
  'The policy requires your passkey for this. Nothing was executed, and the request stays open. Open it again and approve it with your passkey.'
