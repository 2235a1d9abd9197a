import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import {
  type DelegationRow,
  listDelegations,
  startDelegation,
} from '../../operations/delegations/delegations.ts'
import { kindNames, line, memberName } from '../../operations/entered-fields.ts'
import { escapeInvisible } from '../../text/escape-invisible.ts'
import { type Html, type Part, html } from '../../web/html.ts'
import { addDays, defaultTimeZone, startOfDay } from '../../web/times.ts'
import { day } from '../date-field.ts'
import { kindsOf } from '../keys/rights-fields.ts'
import { type PageContext, type RejectedForm, accountOf, definePage, readsAccount } from '../page.ts'
import { empty, field, formProblem, moment, nameOf, rowLink, table } from '../parts.ts'
import { delegationsPath, endDelegationPath } from './paths.ts'

/** Who approves for whom: of a member their own, of an administrator all. A member names a deputy here. */
export const delegationsPage = definePage({
  path: delegationsPath,
  form: z.strictObject({
    deputy: memberName,
    kinds: kindNames,
    until: day,
    reason: line(limits.reasonCharsMax),
  }),
  labels: { deputy: 'Deputy', kinds: 'Kinds of action', until: 'Last day', reason: 'Reason' },
  async show(context, _query, rejected) {
    const { session } = context
    const rows = await listDelegations(accountOf(context), readsAccount(session) ? null : session.memberId)
    const inForce = rows.filter(({ in_force: is }) => is)
    const former = rows.filter(({ in_force: is }) => !is)
    return {
      title: 'Deputies',
      body: html`${formProblem(rejected)}
        <p>
          A deputy approves for a member who is away, where a rule of the policy asks others to approve. The
          two count as one person. What is proposed for a member they decide themselves, and a tier cannot be
          lent.
        </p>
        ${
          inForce.length === 0
            ? empty('Nobody has a deputy.')
            : table(
                'Deputies',
                ['Deputy', 'Approves for', 'Kinds', 'Until', 'Reason', 'Actions'],
                inForce.map((row) => [
                  ...facts(row),
                  rowLink(endDelegationPath(row.delegation_id), 'End', row.to_name),
                ]),
              )
        }
        ${
          former.length === 0
            ? ''
            : html`<h2>Ended</h2>
                ${table(
                  'Ended',
                  ['Deputy', 'Approved for', 'Kinds', 'Ended', 'Reason'],
                  former.map((row) => facts({ ...row, until: row.ended_at ?? row.until })),
                )}`
        }
        ${session.memberId === null ? '' : newForm(rejected)}`,
    }
  },
  async send(context, { deputy, kinds, until, reason }) {
    const { deps, session } = context
    await requireKinds(context, kinds)
    const end = startOfDay(addDays(until, 1), session.timeZone ?? defaultTimeZone)
    await startDelegation(deps, session, {
      deputy,
      kinds: kinds.length === 0 ? null : kinds,
      until: end,
      reason,
    })
    return { to: delegationsPath, flash: 'delegation_started' }
  },
})

/** @throws GateError `invalid` for a kind that the account does not have */
async function requireKinds(context: PageContext, kinds: string[]): Promise<void> {
  const known = await kindsOf(context)
  const odd = kinds.find((kind) => !known.includes(kind))
  if (odd === undefined) return
  throw new GateError('invalid', `kinds: ${odd} is not a kind of action of this account.`, { param: 'kinds' })
}

const facts = ({ to_name: deputy, from_name: approver, kinds, until, reason }: DelegationRow): Part[] => [
  nameOf(deputy),
  nameOf(approver),
  kinds === null ? 'all' : kinds.join(', '),
  moment(until),
  reason === null ? '' : html`<bdi>${escapeInvisible(reason)}</bdi>`,
]

const newForm = (rejected: RejectedForm | undefined): Html =>
  html`<h2>Name a deputy</h2>
    <form method="post">
      ${field({
        name: 'deputy',
        label: 'Deputy',
        hint: 'The e-mail or Slack user ID of a member.',
        charsMax: limits.emailCharsMax,
        rejected,
      })}
      ${field({
        name: 'until',
        label: 'Last day',
        type: 'date',
        hint: 'At most 30 days from now. It ends by itself.',
        rejected,
      })}
      ${field({
        name: 'kinds',
        label: 'Kinds of action',
        hint: 'Such as broadcast, payout. Empty: all.',
        isRequired: false,
        rejected,
      })}
      ${field({
        name: 'reason',
        label: 'Reason',
        hint: 'Your deputy and administrators see it.',
        charsMax: limits.reasonCharsMax,
        rejected,
      })}
      <button type="submit">Name deputy</button>
    </form>`
