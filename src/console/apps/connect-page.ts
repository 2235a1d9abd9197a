import { hash } from 'node:crypto'
import { z } from 'zod'
import type { Deps } from '../../deps.ts'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { AuthorizationRequest, type Asked, readAuthorization } from '../../operations/apps/authorization.ts'
import { connectApp, declineAddress } from '../../operations/apps/connect-app.ts'
import { hostOf } from '../../operations/apps/redirect.ts'
import { actionsPerDay, email } from '../../operations/entered-fields.ts'
import { requireMember } from '../../operations/members/require-member.ts'
import type { Session } from '../../operations/sign-in/session.ts'
import { type Part, html } from '../../web/html.ts'
import { optionally } from '../forms.ts'
import { keyLabels } from '../keys/key-form.ts'
import { amounts, kindFields, kindsIn, kindsOf, limitFields } from '../keys/rights-fields.ts'
import { type PageContext, type RejectedForm, type View, definePage, isAdmin } from '../page.ts'
import { checkboxes, facts, field, formProblem, nameOf } from '../parts.ts'
import { appsPath } from './path.ts'

const optional = z.string().optional()
/** The parameters of an app's request, as the address or the form has them. They are checked in one place. */
const Parameters = z.strictObject({
  response_type: optional,
  client_id: optional,
  redirect_uri: optional,
  code_challenge: optional,
  code_challenge_method: optional,
  state: optional,
  scope: optional,
  resource: optional,
})
type Parameters = z.infer<typeof Parameters>

/** Who asks to be connected, for whom and for what; nothing is connected by opening it. */
export const connectAppPage = definePage({
  path: `${appsPath}/connect`,
  query: Parameters,
  // `kind_…` for each kind of action.
  form: Parameters.extend({
    form_of: optional,
    answer: optional,
    propose: z.literal('on').optional(),
    confirm: z.literal('on').optional(),
    member: optionally(email),
    actions_per_day: optionally(actionsPerDay),
    amounts_per_day: optionally(amounts),
  }).catchall(z.string()),
  labels: { ...keyLabels, member: 'Acts for' },
  async show(context, query, rejected) {
    const { deps, session } = context
    const parameters = rejected ? parametersOf(rejected.values) : query
    if (parameters.client_id === undefined) return nobodyAsks(rejected)
    const asked = await read(deps, parameters)
    const days = limits.appRefreshMs / 86_400_000
    return {
      title: 'Connect an app?',
      formsTo: [new URL(asked.redirect).origin],
      body: html`${formProblem(rejected)}
        ${facts([
          ['App', nameOf(asked.name)],
          ['Asks from', html`<strong>${asked.host}</strong>`],
          ...sentBack(asked),
          [
            'Acts for',
            session.memberId === null ? 'a member' : html`${session.name}, in ${session.accountName}`,
          ],
          [
            'Access ends',
            `${days} days after its last use, or when you disconnect it, or when you are deactivated`,
          ],
        ])}
        <p>${whatItSays(asked)} Continue only if you have just asked to connect it yourself.</p>
        <form method="post">
          ${hidden(parameters)}
          <input type="hidden" name="form_of" value="${formOf(session)}" />
          ${isAdmin(session) ? memberField(session, rejected) : ''}
          ${checkboxes({
            legend: 'The app may',
            hint: 'It can always read what you may read. To connect it is no consent to an action: the gate asks you about each one. With “confirm”, the app can confirm in your name what the policy lets an agent confirm.',
            boxes: [
              {
                name: 'propose',
                words: 'propose actions in your name',
                isChecked: asked.powers.includes('propose'),
              },
              {
                name: 'confirm',
                words: 'confirm actions in your name (not advised)',
                isChecked: false,
              },
            ],
            rejected,
          })}
          <details>
            <summary>Limit it further</summary>
            ${kindFields(await kindsOf(context), rejected)} ${limitFields(rejected)}
          </details>
          <button type="submit" class="primary" name="answer" value="connect">Connect app</button>
          <button type="submit" name="answer" value="decline">Decline</button>
        </form>`,
    }
  },
  async send(context, form) {
    const { deps, session } = context
    const kinds = kindsIn(await kindsOf(context), form, Object.keys(connectAppPage.form!.shape))
    if (form.form_of !== formOf(session))
      throw new GateError(
        'invalid',
        'This form is not from a page of your session. Check what it says, and send it again.',
      )
    const asked = await read(deps, parametersOf(form))
    if (form.answer !== 'connect' && form.answer !== 'decline')
      throw new GateError('invalid', 'Choose whether to connect the app.')
    if (form.answer === 'decline') return { to: declineAddress(deps, asked), again: appsPath }
    const to = await connectApp(deps, session, asked, {
      member: await memberOf(context, form.member),
      powers: [
        'read',
        ...(form.propose ? (['propose'] as const) : []),
        ...(form.confirm ? (['confirm'] as const) : []),
      ],
      kinds,
      actionsPerDay: form.actions_per_day ?? null,
      centsPerDay: form.amounts_per_day ?? null,
    })
    return { to, again: appsPath }
  },
})

/** The page without the request of an app. */
const nobodyAsks = (rejected: RejectedForm | undefined): View => ({
  title: 'Connect an app',
  body: html`${formProblem(rejected)}
    <p>No app asks to be connected. Begin in the app: it opens this page.</p>
    <p><a class="button" href="${appsPath}">Connected apps</a></p>`,
})

/** What the app asked, of the fields of a form. */
const parametersOf = (given: Record<string, unknown>): Parameters =>
  Parameters.parse(
    Object.fromEntries(Object.entries(given).filter(([name]) => Object.hasOwn(Parameters.shape, name))),
  )

/** An administrator may connect an app for another member. */
const memberField = ({ memberId, address }: Session, rejected: RejectedForm | undefined): Part =>
  field({
    name: 'member',
    label: 'Acts for',
    type: 'email',
    hint: 'The e-mail address of a member. The app proposes in their name, and they are asked to decide. Connect it for another member only if they know of it.',
    value: memberId === null ? '' : address,
    rejected,
  })

/** The member of the session, or the one whom an administrator names. @throws GateError `invalid`, `not_found` */
async function memberOf({ deps, session }: PageContext, named: string | undefined): Promise<string> {
  const isTheirOwn = named === undefined || named.toLowerCase() === session.address.toLowerCase()
  if (isTheirOwn && session.memberId !== null) return session.memberId
  if (named === undefined)
    throw new GateError('invalid', 'Name the member whom the app acts for.', { param: 'member' })
  if (!isAdmin(session)) throw new GateError('forbidden', 'You can connect an app only for yourself.')
  return (await requireMember(deps.db, { account: session.account, email: named }, 'member')).memberId
}

/** What only a page of this session knows: no other site can make up the form. */
const formOf = ({ tokenHash }: Session): string =>
  hash('sha256', `connect an app ${tokenHash.toString('hex')}`)

/** @throws GateError as `readAuthorization` */
const read = (deps: Deps, parameters: Parameters): Promise<Asked> => {
  const parsed = AuthorizationRequest.safeParse(parameters)
  if (!parsed.success)
    throw new GateError('invalid', 'The request of the app is not complete. Connect it again in the app.')
  return readAuthorization(deps, parsed.data)
}

/** Where the answer goes, where that is another host than the one that asks. */
function sentBack({ redirect, host }: Asked): [string, Part][] {
  const back = hostOf(redirect)
  return back === host ? [] : [['Gets its access at', html`<strong>${back}</strong>`]]
}

const whatItSays = ({ client }: Asked): string =>
  client.documentHost === undefined
    ? 'The name is what the app says of itself: nobody has checked it. The host is where it gets its access.'
    : 'The name is what the app says of itself. The host is where its description was read.'

const hidden = (parameters: Parameters): Part =>
  Object.keys(Parameters.shape).flatMap((name) => {
    const value = parameters[name as keyof Parameters]
    return value === undefined ? [] : [html`<input type="hidden" name="${name}" value="${value}" />`]
  })
