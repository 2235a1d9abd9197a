import { type ConsentChannel, identityWords } from '../gate/consent.ts'
import type { Notice } from '../providers/ports.ts'

/** A change of a member's e-mail address or identity in a chat, for the notice about it. */
export interface IdentityChange {
  identity: ConsentChannel | 'passkey' | 'company'
  /** The new one, masked; null where it was removed. */
  next: string | null
  /** The member had no such identity before. */
  isFirst: boolean
  /** An administrator's address, or `admin` for the command line; null if unknown. */
  by: string | null
  at: Date
  accountName: string
  /** How long decisions through it count as agent_attested. */
  settlesAfterHours: number
}

/** The notice to the former identity. It contains no name that a member chose and no full address. Pure. */
export function identityNotice(change: IdentityChange): Notice {
  const { identity, next, isFirst, by, at, accountName, settlesAfterHours } = change
  if (identity === 'passkey') return passkeyNotice(change)
  if (identity === 'company') return companyNotice(change)
  const what = identityWords[identity]
  const done = next === null ? 'removed' : isFirst ? 'added' : 'changed'
  const sentence =
    next === null
      ? `Your ${what} in ${accountName} was removed.`
      : isFirst
        ? `The ${what} ${next} was added to your membership in ${accountName}.`
        : `Your ${what} in ${accountName} was changed to ${next}.`
  // The first mailbox counts in full at once; the first identity in a chat does not, beside a mailbox that is told of it.
  const holdsBack = next !== null && (!isFirst || identity !== 'email') && settlesAfterHours > 0
  return {
    subject: `Your ${what} in ${accountName} was ${done}`,
    text: [
      sentence,
      `Changed by: ${by === null ? 'unknown' : actorWords(by)}\nTime: ${at.toISOString()}`,
      `If you expected this change, you do not need to do anything. If you did not, contact another administrator of ${accountName} now${next === null ? '' : '. Anyone with access to the new identity can decide in your name'}.`,
      ...(holdsBack
        ? [
            `Until ${new Date(at.getTime() + settlesAfterHours * 3_600_000).toISOString()}, decisions through the new identity count only as the agent's word, unless a second administrator confirms the change.`,
          ]
        : []),
    ].join('\n\n'),
  }
}

const actorWords = (by: string): string => (by === 'admin' ? 'the command line of the service' : by)

/** The notice about whom the company signs in as the member. */
function companyNotice({ next, by, at, accountName, settlesAfterHours }: IdentityChange): Notice {
  const sentence =
    next === null
      ? `You can no longer sign in to ${accountName} with your company.`
      : by === 'company'
        ? `The sign-in of your company named your mailbox, and signed somebody in to ${accountName} as you.`
        : `An administrator said who signs in as you to ${accountName} with your company.`
  const until = new Date(at.getTime() + settlesAfterHours * 3_600_000).toISOString()
  return {
    subject: `Your company sign-in to ${accountName} was ${next === null ? 'removed' : 'linked'}`,
    text: [
      sentence,
      `Changed by: ${by === null ? 'unknown' : actorWords(by)}\nTime: ${at.toISOString()}`,
      `If you expected this change, you do not need to do anything. If you did not, contact another administrator of ${accountName} now${next === null ? '' : '. Somebody else may be able to sign in as you'}.`,
      ...(next !== null && settlesAfterHours > 0
        ? [`Until ${until}, decisions in such a session count only as the agent's word.`]
        : []),
    ].join('\n\n'),
  }
}

/** The notice about a passkey that was added or removed. */
function passkeyNotice({ next, isFirst, by, at, accountName }: IdentityChange): Notice {
  const done = next === null ? 'removed from' : 'added to'
  const which = next !== null && isFirst ? 'Your first passkey' : 'A passkey'
  return {
    subject: `${which} was ${done} your membership in ${accountName}`,
    text: [
      `${which} was ${done} your membership in ${accountName}.`,
      `Changed by: ${by === null ? 'you, in the console' : actorWords(by)}\nTime: ${at.toISOString()}`,
      `If you expected this change, you do not need to do anything. If you did not, contact an administrator of ${accountName} now${next === null ? '' : '. Anyone with the passkey can sign in and decide in your name'}.`,
    ].join('\n\n'),
  }
}
