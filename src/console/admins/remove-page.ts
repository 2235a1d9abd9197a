import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { type AdminRow, listAdmins } from '../../operations/admins/list-admins.ts'
import { removeAdmin } from '../../operations/admins/remove-admin.ts'
import { adminId } from '../../operations/ids.ts'
import { html } from '../../web/html.ts'
import { type PageContext, accountOf, asAdmin, definePage, idIn } from '../page.ts'
import { confirmation, facts, formProblem, moment } from '../parts.ts'
import { adminsPath } from './path.ts'

/** Confirms before an administrator is removed. Nobody removes themselves: one always stays who can add others. */
export const removeAdminPage = definePage({
  path: `${adminsPath}/:admin/remove`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const admin = await adminIn(context)
    return {
      title: 'Remove administrator?',
      body: html`${formProblem(rejected)}
        ${facts([
          ['E-mail', admin.email],
          ['Role', admin.role],
          ['Since', moment(admin.created_at)],
        ])}
        <p>Their sessions and sign-in links end now. What they did stays in the ledger.</p>
        ${confirmation({ button: 'Remove administrator', back: adminsPath })}`,
    }
  },
  async send(context) {
    const { email } = await adminIn(context)
    await removeAdmin(asAdmin(context), email)
    return { to: adminsPath, flash: 'admin_removed' }
  },
})

async function adminIn(context: PageContext): Promise<AdminRow> {
  const id = idIn(context, 'admin', adminId)
  const found = (await listAdmins(accountOf(context))).find((one) => one.admin_id === id)
  if (!found || found.removed_at !== null)
    throw new GateError('not_found', 'Administrator not found. They may have been removed already.')
  if (id === context.session.adminId)
    throw new GateError('conflict', 'You cannot remove yourself. Ask another administrator to remove you.')
  return found
}
