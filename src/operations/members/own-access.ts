import { listKeys } from '../../db/queries/accounts/keys.ts'
import { listDecided } from '../../db/queries/actions/overview.ts'
import { type MemberRow, findMember } from '../../db/queries/members/members.ts'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import type { KeyRights } from '../../keys/rights.ts'
import { type ShownAction, showAll } from '../actions/shown-action.ts'
import type { Session } from '../sign-in/session.ts'

/** Decisions on the page of a member's own access. */
const ownDecisionsShownMax = 10

/** An API key that acts for a member, without what concerns others: its secret, its networks, its other members. */
export interface OwnKey {
  name: string
  powers: KeyRights['powers']
  kinds: string[] | null
  /** Whether it is bound to this member, or to several with them. Else it acts for every member. */
  isBound: boolean
  lastUsedAt: Date | null
  expiresAt: Date | null
}

export interface OwnAccess {
  member: MemberRow
  /** Their newest decided proposals. */
  decided: ShownAction[]
  keys: OwnKey[]
}

/** What a signed-in member may know of themselves. @throws GateError `not_found` for a person who is no member */
export async function readOwnAccess(deps: Deps, session: Session): Promise<OwnAccess> {
  const { account, memberId } = session
  const member = memberId === null ? undefined : await findMember(deps.db, account, { memberId })
  if (!member) throw new GateError('not_found', 'You are not a member of this account.')
  const [rows, keys] = await Promise.all([
    listDecided(deps.db, account, { memberId: member.memberId, limitRows: ownDecisionsShownMax }),
    listKeys(deps.db, account),
  ])
  const isInForce = ({ revoked_at, expires_at }: (typeof keys)[number]) =>
    revoked_at === null && (expires_at === null || expires_at > member.now)
  return {
    member,
    decided: await showAll(deps, session, rows),
    keys: keys
      .filter((key) => isInForce(key) && (key.actors === null || key.actors.includes(member.memberId)))
      .map((key) => ({
        name: key.name,
        powers: key.powers,
        kinds: key.kinds,
        isBound: key.actors !== null,
        lastUsedAt: key.last_used_at,
        expiresAt: key.expires_at,
      })),
  }
}
