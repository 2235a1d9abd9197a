import type { MemberName } from '../../db/queries/members/members.ts'
import { asciiAddress } from '../../text/mail-address.ts'

/** A member as a filter names them: e-mail address, `slack:U…` or member id. Pure. */
export function memberNameOf(member: string): MemberName {
  if (member.includes('@')) return { email: asciiAddress(member) }
  return member.startsWith('slack:') ? { slack: member.slice('slack:'.length) } : { memberId: member }
}
