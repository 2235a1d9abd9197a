import type { DelegationFacts, GlassFacts, MemberNotice } from '../../db/queries/members/member-notices.ts'
import type { Notice } from '../../providers/ports.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'

/**
 * The message to one member. It has none of an agent's words. Pure.
 * @param linkTo  the address of a page of the console
 */
export function memberNotice(notice: MemberNotice, linkTo: (path: string) => string): Notice {
  const { account_name: account, subject: id } = notice
  if (notice.about === 'glass_break')
    return {
      ...glassWords(id, account, notice.facts),
      link: { label: 'Read why', url: linkTo(`/console/break-glass/${id}`) },
    }
  const words = notice.about === 'delegation_end' ? endWords : startWords
  return {
    ...words(account, notice.facts),
    link: { label: 'Deputies', url: linkTo('/console/delegations') },
  }
}

type Words = Pick<Notice, 'subject' | 'text'>

function startWords(
  account: string,
  { is_deputy: isDeputy, other_name: name, kinds, until }: DelegationFacts,
): Words {
  const other = escapeInvisible(name)
  const what = kinds === null ? 'everything' : kinds.join(', ')
  const [who, whom] = isDeputy ? ['You approve', other] : [`${other} approves`, 'you']
  return {
    subject: isDeputy ? `You are a deputy in ${account}` : `You have a deputy in ${account}`,
    text: [
      `${who} for ${whom} in ${account} until ${until.slice(0, 16)}Z: ${what}.`,
      'The two of you count as one person: the first of you to approve counts.',
      isDeputy
        ? 'You can end this at any time.'
        : 'If you did not expect this, withdraw it now, and tell an administrator.',
    ].join('\n\n'),
  }
}

function endWords(
  account: string,
  { is_deputy: isDeputy, other_name: name, ended_by: by }: DelegationFacts,
): Words {
  const other = escapeInvisible(name)
  return {
    subject: isDeputy
      ? `You are no longer a deputy in ${account}`
      : `Your deputy in ${account} no longer approves`,
    text: `${isDeputy ? `You no longer approve for ${other}` : `${other} no longer approves for you`} in ${account}. ${by === null ? 'The time is over.' : 'It was ended.'}`,
  }
}

function glassWords(id: string, account: string, facts: GlassFacts): Words {
  const by = escapeInvisible(facts.by_name)
  return {
    subject: `${by} executed an action alone in ${account}`,
    text: [
      `Action ${id} (${facts.kind}), for ${escapeInvisible(facts.for_name)}, needed the approval of others. ${by} executed it alone, by break-glass, with a passkey and a reason.`,
      `Somebody who could have approved it reviews that until ${facts.review_due_at.slice(0, 16)}Z.`,
    ].join('\n\n'),
  }
}
