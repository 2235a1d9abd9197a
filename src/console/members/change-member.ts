import { z } from 'zod'
import { limits } from '../../limits.ts'
import { email, line, slackId, teamsId } from '../../operations/entered-fields.ts'
import { addMember } from '../../operations/members/add-member.ts'
import { eraseMember } from '../../operations/members/erase-member.ts'
import { setMemberActive } from '../../operations/members/set-member-active.ts'
import { updateMember } from '../../operations/members/update-member.ts'
import { type Html, html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { memberIn, memberPath } from './member-page.ts'
import { membersPath } from './list-page.ts'
import { type RejectedForm, type Redirect, asAdmin, definePage } from '../page.ts'
import { confirmation, field, formProblem } from '../parts.ts'

const memberForm = z.strictObject({
  name: line(limits.nameCharsMax),
  email: optionally(email),
  slack: optionally(slackId),
  teams: optionally(teamsId),
})

const memberFields = (
  rejected: RejectedForm | undefined,
  now?: Record<'name', string> & Record<'email' | 'slack' | 'teams', string | null>,
): Html =>
  html`${field({ name: 'name', label: 'Name', charsMax: limits.nameCharsMax, value: now?.name ?? '', rejected })}
  ${field({
    name: 'email',
    label: 'E-mail',
    type: 'email',
    hint: 'Used to send them messages, to name them in agent requests, and to sign in to this console. Letters of any script may follow the @; before it, ASCII only.',
    charsMax: limits.emailCharsMax,
    isRequired: false,
    value: now?.email ?? '',
    rejected,
  })}
  ${field({
    name: 'slack',
    label: 'Slack user ID',
    hint: html`The user’s ID, such as <code>U024BE7LH</code>, not the display name.`,
    isRequired: false,
    value: now?.slack ?? '',
    rejected,
  })}
  ${field({
    name: 'teams',
    label: 'Teams object ID',
    hint: html`The user’s object ID in Microsoft Entra, such as
      <code>0b9a1b2c-3d4e-4f50-8a6b-7c8d9e0f1a2b</code>.`,
    isRequired: false,
    value: now?.teams ?? '',
    rejected,
  })}`

/** Adds a member. */
export const addMemberPage = definePage({
  path: `${membersPath}/new`,
  role: 'admin',
  form: memberForm,
  async show(_visit, _query, rejected) {
    return {
      title: 'New member',
      body: html`${formProblem(rejected)}
        <form method="post">
          ${memberFields(rejected)}
          <button type="submit">Add member</button>
          <a class="button" href="${membersPath}">Go back</a>
        </form>`,
    }
  },
  async send(context, given) {
    const { name, email: address, slack, teams } = given
    const id = await addMember(asAdmin(context), {
      name,
      email: address ?? null,
      slack: slack ?? null,
      teams: teams ?? null,
    })
    return { to: memberPath(id), flash: 'member_added' }
  },
})

/** Changes a member's name and identities; an empty identity is removed. */
export const editMemberPage = definePage({
  path: `${membersPath}/:member/edit`,
  role: 'admin',
  form: memberForm,
  async show(context, _query, rejected) {
    const member = await memberIn(context)
    return {
      title: `Edit ${member.name}`,
      body: html`${formProblem(rejected)}
        <p>
          Changing the e-mail ends the member’s console sessions. Open proposals keep the identity they were
          made with.
        </p>
        <form method="post">
          ${memberFields(rejected, member)}
          <button type="submit">Save member</button>
          <a class="button" href="${memberPath(member.memberId)}">Go back</a>
        </form>`,
    }
  },
  async send(context, { name, email: address, slack, teams }) {
    const member = await memberIn(context)
    // Only values that differ are recorded in the ledger as changed.
    const changed = (now: string | null, next: string | undefined) =>
      (next ?? '') === (now ?? '') ? null : (next ?? '')
    await updateMember(asAdmin(context), member.memberId, {
      name: changed(member.name, name),
      email: changed(member.email, address),
      slack: changed(member.slack, slack),
      teams: changed(member.teams, teams),
    })
    return { to: memberPath(member.memberId), flash: 'member_changed' }
  },
})

/** Confirms before a member is deactivated. */
export const deactivateMemberPage = definePage({
  path: `${membersPath}/:member/deactivate`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { name, memberId } = await memberIn(context)
    return {
      title: `Deactivate ${name}?`,
      body: html`${formProblem(rejected)}
        <p>
          Agents can no longer act for them. No broadcast reaches them, including broadcasts that are already
          open. Their sessions, devices, connected apps, own keys, passkeys and mandates end, and what they
          approved of open proposals counts no more.
        </p>
        <p>
          You can activate them again later. Their tier and certifications are kept. None of what ended comes
          back.
        </p>
        ${confirmation({ button: 'Deactivate member', back: memberPath(memberId) })}`,
    }
  },
  async send(context): Promise<Redirect> {
    const { memberId } = await memberIn(context)
    await setMemberActive(asAdmin(context), memberId, false)
    return { to: memberPath(memberId), flash: 'member_deactivated' }
  },
})

/** Confirms before a member is erased. */
export const eraseMemberPage = definePage({
  path: `${membersPath}/:member/erase`,
  role: 'admin',
  form: z.strictObject({ reason: line(limits.reasonCharsMax) }),
  labels: { reason: 'Reason' },
  async show(context, _query, rejected) {
    const { name, memberId } = await memberIn(context)
    return {
      title: `Erase ${name}?`,
      body: html`${formProblem(rejected)}
        <p>
          Name, e-mail address, Slack user ID, and the words and inputs of their actions and tool calls are
          erased. Actions and ledger entries stay, and say “erased”. The ledger still verifies. Messages that
          were sent stay where they were received. This cannot be undone.
        </p>
        <form method="post">
          ${field({
            name: 'reason',
            label: 'Reason',
            hint: 'For the ledger, where it stays. Do not write a name or an address.',
            charsMax: limits.reasonCharsMax,
            rejected,
          })}
          <button type="submit" class="danger">Erase member</button>
          <a class="button" href="${memberPath(memberId)}">Go back</a>
        </form>`,
    }
  },
  async send(context, { reason }): Promise<Redirect> {
    const { memberId } = await memberIn(context)
    await eraseMember(asAdmin(context), memberId, reason)
    return { to: memberPath(memberId), flash: 'member_erased' }
  },
})

/** Confirms before a member is activated again. */
export const activateMemberPage = definePage({
  path: `${membersPath}/:member/activate`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { name, memberId } = await memberIn(context)
    return {
      title: `Activate ${name}?`,
      body: html`${formProblem(rejected)}
        <p>Agents can act for them again, and new broadcasts reach them.</p>
        ${confirmation({ button: 'Activate member', back: memberPath(memberId), isHarmless: true })}`,
    }
  },
  async send(context): Promise<Redirect> {
    const { memberId } = await memberIn(context)
    await setMemberActive(asAdmin(context), memberId, true)
    return { to: memberPath(memberId), flash: 'member_activated' }
  },
})
