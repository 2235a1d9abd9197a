import { z } from 'zod'
import { limits } from '../../limits.ts'
import { addAdmin } from '../../operations/admins/add-admin.ts'
import { type AdminRow, listAdmins } from '../../operations/admins/list-admins.ts'
import { adminRole } from '../../operations/admins/admin-role.ts'
import { email } from '../../operations/entered-fields.ts'
import { type Part, html } from '../../web/html.ts'
import { type PageContext, accountOf, asAdmin, definePage } from '../page.ts'
import { address, choice, field, formProblem, moment, rowLink, table } from '../parts.ts'
import { adminsPath } from './path.ts'

/** The administrators of the account, and a form that adds one. */
export const adminsPage = definePage({
  path: adminsPath,
  role: 'admin',
  form: z.strictObject({ email, role: adminRole.default('administrator') }),
  labels: { email: 'E-mail', role: 'Role' },
  async show(context, _query, rejected) {
    const all = await listAdmins(accountOf(context))
    const removed = all.filter(({ removed_at: at }) => at !== null)
    return {
      title: 'Administrators',
      body: html`${formProblem(rejected)}
        <p>
          Administrators set the rules of the account: members, policy, keys and integrations. They do not
          decide for members. Auditors read everything that administrators read, and change nothing.
        </p>
        ${table(
          'Administrators',
          ['E-mail', 'Role', 'Since', 'Actions'],
          all.filter(({ removed_at: at }) => at === null).map((one) => rowOf(context, one)),
        )}
        <h2>New administrator or auditor</h2>
        <form method="post">
          ${field({
            name: 'email',
            label: 'E-mail',
            type: 'email',
            hint: 'They sign in at this console with a link that is sent to this address.',
            charsMax: limits.emailCharsMax,
            rejected,
          })}
          ${choice({
            name: 'role',
            label: 'Role',
            value: 'administrator',
            values: [
              ['administrator', 'Administrator'],
              ['auditor', 'Auditor'],
            ],
            rejected,
          })}
          <button type="submit">Add person</button>
        </form>
        ${
          removed.length === 0
            ? ''
            : html`<h2>Removed</h2>
                ${table(
                  'Removed administrators',
                  ['E-mail', 'Role', 'Since', 'Removed'],
                  removed.map((one) => [
                    address(one.email),
                    one.role,
                    moment(one.created_at),
                    moment(one.removed_at),
                  ]),
                )}`
        }`,
    }
  },
  async send(context, { email: given, role }) {
    await addAdmin(asAdmin(context), given, role)
    return { to: adminsPath, flash: role === 'auditor' ? 'auditor_added' : 'admin_added' }
  },
})

const rowOf = (
  { session }: PageContext,
  { admin_id: id, email: at, role, created_at: since }: AdminRow,
): Part[] => [
  address(at),
  role,
  moment(since),
  id === session.adminId
    ? html`<span class="hint">you</span>`
    : rowLink(`${adminsPath}/${id}/remove`, 'Remove', at),
]
