import { approvalRule } from './approval-rule/kind.ts'
import { broadcast } from './broadcast/kind.ts'
import { checkout } from './checkout/kind.ts'
import { integration } from './integration/kind.ts'
import type { ActionKind } from './kind.ts'
import { mandate } from './mandate/kind.ts'
import { payout } from './payout/kind.ts'
import { runnerMandate } from './runner-mandate/kind.ts'
import { runnerTool } from './runner-tool/kind.ts'
import { refund } from './refund/kind.ts'
import { upstreamTool } from './upstream-tool/kind.ts'
import { subscriptionCancellation } from './subscription-cancellation/kind.ts'

export { type ActionKind } from './kind.ts'

/** Every governed kind. To add one, create its folder and add a line here. */
export const actionKinds: ActionKind[] = [
  broadcast,
  checkout,
  subscriptionCancellation,
  refund,
  payout,
  integration,
  runnerTool,
  runnerMandate,
  mandate,
  approvalRule,
  upstreamTool,
] as unknown as ActionKind[]
