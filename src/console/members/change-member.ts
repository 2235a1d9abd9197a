import { z } from 'zod'
import { limits } from '../../limits.ts'
import { email, line, slackId } from '../../operations/admin/fields.ts'
import { addMember, setMemberActive, updateMember } from '../../operations/admin/members.ts'
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
})

const memberFields = (
  rejected: RejectedForm | undefined,
  now?: { name: string; email: string | null; slack: string | null },
): Html =>
  html`${field({ name: 'name', label: 'Name', charsMax: limits.nameCharsMax, value: now?.name ?? '', rejected })}
  ${field({
    name: 'email',
    label: 'E-mail',
    type: 'email',
    hint: 'Reaches them, lets agents name them, and lets them sign in here.',
    charsMax: limits.emailCharsMax,
    isRequired: false,
    value: now?.email ?? '',
    rejected,
  })}
  ${field({
    name: 'slack',
    label: 'Slack id',
    hint: html`The id of the person, such as <code>U024BE7LH</code>, not their name.`,
    isRequired: false,
    value: now?.slack ?? '',
    rejected,
  })}`

/** Adds a member. */
export const addMemberPage = definePage({
  path: `${membersPath}/new`,
  role: 'admin',
  form: memberForm,
  async show(_visit, _query, rejected) {
    return {
      title: 'Add a member',
      body: html`${formProblem(rejected)}
        <form method="post">
          ${memberFields(rejected)}
          <button type="submit">Add the member</button>
          <a class="button" href="${membersPath}">Go back</a>
        </form>`,
    }
  },
  async send(context, given) {
    const { name, email: address, slack } = given
    const id = await addMember(asAdmin(context), { name, email: address ?? null, slack: slack ?? null })
    return { to: memberPath(id), flash: 'member_added' }
  },
})

/** Changes a member's name and identities; one that is left empty is taken away. */
export const editMemberPage = definePage({
  path: `${membersPath}/:member/edit`,
  role: 'admin',
  form: memberForm,
  async show(context, _query, rejected) {
    const member = await memberIn(context)
    return {
      title: `Change ${member.name}`,
      body: html`${formProblem(rejected)}
        <p>
          Another e-mail ends their sessions here. What they proposed goes on under the identity it was made
          with.
        </p>
        <form method="post">
          ${memberFields(rejected, member)}
          <button type="submit">Save</button>
          <a class="button" href="${memberPath(member.memberId)}">Go back</a>
        </form>`,
    }
  },
  async send(context, { name, email: address, slack }) {
    const member = await memberIn(context)
    // Only what is another than before goes into the ledger as changed.
    const changed = (now: string | null, next: string | undefined) =>
      (next ?? '') === (now ?? '') ? null : (next ?? '')
    await updateMember(asAdmin(context), member.memberId, {
      name: changed(member.name, name),
      email: changed(member.email, address),
      slack: changed(member.slack, slack),
    })
    return { to: memberPath(member.memberId), flash: 'member_changed' }
  },
})

/** Asks before a member is taken out. */
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
          No agent can act for them any more, no broadcast reaches them, not even one that is open now, and
          their sessions here end. They can be activated again, with their tier and certificates.
        </p>
        ${confirmation({ button: 'Deactivate', back: memberPath(memberId) })}`,
    }
  },
  async send(context): Promise<Redirect> {
    const { memberId } = await memberIn(context)
    await setMemberActive(asAdmin(context), memberId, false)
    return { to: memberPath(memberId), flash: 'member_deactivated' }
  },
})

/** Asks before a member is taken back in. */
export const activateMemberPage = definePage({
  path: `${membersPath}/:member/activate`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { name, memberId } = await memberIn(context)
    return {
      title: `Activate ${name}?`,
      body: html`${formProblem(rejected)}
        <p>Agents can act for them again, and the next broadcast reaches them.</p>
        ${confirmation({ button: 'Activate', back: memberPath(memberId), isHarmless: true })}`,
    }
  },
  async send(context): Promise<Redirect> {
    const { memberId } = await memberIn(context)
    await setMemberActive(asAdmin(context), memberId, true)
    return { to: memberPath(memberId), flash: 'member_activated' }
  },
})
