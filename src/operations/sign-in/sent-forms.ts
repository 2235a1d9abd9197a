import { type ClaimedForm, claimForm as claim, endForm as end } from '../../db/queries/accounts/sent-forms.ts'
import type { Deps } from '../../deps.ts'
import { sha256 } from '../../ledger/digest.ts'
import type { Session } from './session.ts'

export type { ClaimedForm }

/** A form that was sent, for one request that handles it. */
export interface FormClaim {
  form: Buffer
  /** A UUID of the request. */
  claim: string
}

/** The hash that a sent form is recognised by: who sends it, where, and all that is in it. Pure. */
export const formHash = (
  { account, adminId, memberId }: Session,
  sent: { path: string; id: string; fields: Record<string, string> },
): Buffer => {
  const fields = Object.entries(sent.fields).toSorted(([a], [b]) => (a < b ? -1 : 1))
  return sha256(JSON.stringify([account, adminId, memberId, sent.path, sent.id, fields]))
}

/**
 * Takes a form to be handled, once, whatever process it is sent to.
 * @throws GateError `unauthenticated` where the session has ended
 */
export const claimForm = (deps: Deps, session: Session, form: FormClaim): Promise<ClaimedForm> =>
  claim(deps.db, { account: session.account, session: session.tokenHash, ...form })

/** Records how a form was handled; `done` null: it changed nothing and may be sent again. */
export const endForm = (
  deps: Deps,
  form: FormClaim,
  done: { path: string; flash: string } | null,
): Promise<void> => end(deps.db, { ...form, done })
