import { type GateError, LinkGone, OutcomeUnknown } from '../errors.ts'

/** The title of a page where it is unknown whether a form took effect. */
export const outcomeUnknown = 'Outcome unknown'

/** The title of the page of an error that says more than its status; undefined for others. Pure. */
export function ownTitle(error: GateError): string | undefined {
  if (error instanceof OutcomeUnknown) return outcomeUnknown
  return error instanceof LinkGone ? goneTitles[error.how] : undefined
}

const goneTitles: Record<LinkGone['how'], string> = {
  expired: 'Link expired',
  used: 'Link already used',
  decided: 'Already decided',
  invalid: 'Link no longer valid',
}
