/**
 * Names a person for the count of approvers: members with one mailbox, but for what follows a plus sign, are one. Pure.
 * @source the same rule as `gate_private.person_of`, which decides
 */
export function personOf({ memberId, email }: { memberId: string; email: string | null }): string {
  if (email === null) return memberId
  const mailbox = email.toLowerCase()
  const plus = mailbox.indexOf('+')
  const at = mailbox.indexOf('@', plus)
  return plus === -1 || at === -1 ? mailbox : mailbox.slice(0, plus) + mailbox.slice(at)
}
