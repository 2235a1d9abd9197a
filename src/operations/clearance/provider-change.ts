import type { ActionKind } from '../../actions/kind.ts'
import type { Facts } from '../../db/queries/members/facts.ts'
import type { Clearance } from '../../gate/policy.ts'
import { afterProviderChange } from '../../gate/provider-change.ts'
import { providerName } from '../../gate/integration-provider.ts'
import { limits } from '../../limits.ts'

/** Raises the consent floor of an action whose provider account changed recently. Pure. */
export function guardedAfterChange(
  cleared: Clearance,
  kind: Pick<ActionKind, 'movesMoneyAt'>,
  { stripeChange, now }: Pick<Facts, 'stripeChange' | 'now'>,
): Clearance {
  const change =
    kind.movesMoneyAt === 'stripe' && stripeChange
      ? { provider: providerName.stripe, ...stripeChange }
      : undefined
  return afterProviderChange(cleared, change, now, limits.providerChangeGuardMs)
}
