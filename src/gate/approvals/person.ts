/**
 * Names a person for the count of approvers: members with one mailbox, but for what follows a plus sign, are one. Pure.
 * @source the same rule as `gate_private.person_of`, which decides
 */
export const personOf = ({ memberId, email }: { memberId: string; email: string | null }): string =>
  email === null ? memberId : email.toLowerCase().replace(/\+[^@]*@/, '@')
