/**
 * Nobody has decided: the member, or others who must approve.
 * @param {import('../index.js').Action} action
 */
export const isOpen = ({ status, execution }) => status === 'proposed' && execution === undefined

/** @param {import('../index.js').Action} action */
export const isAsked = (action) =>
  !isOpen(action) || action.consent_request !== undefined || action.awaiting_approvals !== undefined

/**
 * Whether somebody was to decide. It was neither denied at once nor covered by a mandate.
 * @param {import('../index.js').Action} action
 */
export const neededDecision = (action) =>
  isAsked(action) && action.status !== 'denied' && action.consent?.by !== 'mandate'

/**
 * What an interrupt carries, and its answer repeats.
 * @param {import('../index.js').Action} action
 */
export const bindingOf = ({ id, digest }) => ({ id, digest })

/**
 * Whether an answer is for this action, as its member was asked.
 * @param {import('../index.js').Action} action
 * @param {any} answer
 */
export const isBound = ({ id, digest, edited_by_member: edited }, answer) =>
  answer?.id === id && answer.digest !== undefined && [digest, edited?.former_digest].includes(answer.digest)
