import type { ConsentChannel } from '../gate/consent.ts'
import type { Notice } from '../providers/ports.ts'

/** A change of a member's e-mail or Slack identity, as they are told of it. */
export interface IdentityChange {
  identity: ConsentChannel
  /** The new one, masked; null where it was removed. */
  next: string | null
  /** The member had none before. */
  isFirst: boolean
  /** An administrator's address, or `admin`: the command line; null where it is not known. */
  by: string | null
  at: Date
  accountName: string
  /** How long decisions through it count as agent_attested. */
  settlesAfterHours: number
}

/** What the former owner of an identity is told. It holds no name that a member chose, and no whole address. Pure. */
export function identityNotice(change: IdentityChange): Notice {
  const { identity, next, isFirst, by, at, accountName, settlesAfterHours } = change
  const what = { email: 'e-mail address', slack: 'Slack identity' }[identity]
  const done = next === null ? 'removed' : isFirst ? 'added' : 'changed'
  const sentence =
    next === null
      ? `Your ${what} in ${accountName} was removed.`
      : isFirst
        ? `The ${what} ${next} was added to you in ${accountName}.`
        : `Your ${what} in ${accountName} was changed to ${next}.`
  const holdsBack = next !== null && !isFirst && settlesAfterHours > 0
  return {
    subject: `Your ${what} in ${accountName} was ${done}`,
    text: [
      sentence,
      `Who: ${by === null ? 'not known' : by === 'admin' ? 'the command line of the service' : by}\nWhen: ${at.toISOString()}`,
      `If you expected this, there is nothing to do. If you did not, tell another administrator of ${accountName} now${next === null ? '' : ': anyone who reads the new one can decide in your name'}.`,
      ...(holdsBack
        ? [
            `Until ${new Date(at.getTime() + settlesAfterHours * 3_600_000).toISOString()} decisions through it count as the agent's word only, unless a second administrator confirms the change.`,
          ]
        : []),
    ].join('\n\n'),
  }
}
