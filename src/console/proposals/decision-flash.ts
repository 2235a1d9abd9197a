import type { ActionRequest } from '../../operations/schemas.ts'
import type { Flash } from '../flash.ts'

/** What the page after a member's own decision says. */
export const decisionFlash = (status: ActionRequest['status'], does: 'confirm' | 'decline'): Flash => {
  if (status === 'denied') return 'action_denied'
  return does === 'decline' ? 'action_declined' : 'action_approved'
}
