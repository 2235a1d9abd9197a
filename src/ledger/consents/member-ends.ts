import type { Link } from '../chain.ts'
import type { Authority, Lapse } from '../recorded-authority.ts'

/** What the entry of a deactivation says that ended with it: ids, by kind. Absent: nothing of the kind. */
export interface MemberEnds {
  admins: string[]
  apps: string[]
  keys: string[]
  passkeys: string[]
  delegations: string[]
  /** Numbers of actions. */
  mandates: number[]
  approvals: number[]
}

/** Reads what ended with the rights of a member; of any other entry nothing. Pure. */
export function endsIn({ ended }: Record<string, unknown>): MemberEnds {
  const told = (ended ?? {}) as Partial<Record<keyof MemberEnds, unknown[]>>
  const texts = (kind: keyof MemberEnds) => (told[kind] ?? []).map(String)
  const numbers = (kind: keyof MemberEnds) => (told[kind] ?? []).map(Number)
  return {
    admins: texts('admins'),
    apps: texts('apps'),
    keys: texts('keys'),
    passkeys: texts('passkeys'),
    delegations: texts('delegations'),
    mandates: numbers('mandates'),
    approvals: numbers('approvals'),
  }
}

/** Takes what ended with the rights of a member. */
export function takeEnds(
  { admins, apps, keys, passkeys, delegations, lapses, endedMandates }: Authority,
  data: Record<string, unknown>,
  { at }: Link,
  actor: string,
): void {
  const ended = endsIn(data)
  const end = <T>(rows: Map<string, T>, ids: string[], isOver: (row: T) => void) => {
    for (const id of ids) {
      const row = rows.get(id)
      if (row) isOver(row)
    }
  }
  end(admins, ended.admins, (row) => (row.isRemoved = true))
  end(apps, ended.apps, (row) => (row.isEnded = true))
  end(keys, ended.keys, (row) => (row.isRevoked = true))
  end(passkeys, ended.passkeys, (row) => (row.removedBy = actor))
  end(delegations, ended.delegations, (row) => (row.endedBy = actor))
  for (const id of ended.mandates) endedMandates.set(id, at)
  for (const id of ended.approvals)
    lapses.set(id, [...(lapses.get(id) ?? []), { member: String(data['member']), at: Date.parse(at) }])
}

/** What the entries about an account say that also counts for its actions. */
export interface AboutRows extends Pick<Authority, 'lapses' | 'endedMandates'> {
  account: string
  /** Each time when the account was suspended, in milliseconds. */
  suspensions: readonly number[]
  /** Whether the words of a member were erased. */
  isErased: (memberId: string) => boolean
}

/** Whether a vote ended with the rights of the member who gave it. Pure. */
export const lapsedAfter = (lapses: AboutRows['lapses'], { id }: { id: number }, vote: Lapse): boolean =>
  lapses.get(id)?.some(({ member, at }) => member === vote.member && at >= vote.at) ?? false
