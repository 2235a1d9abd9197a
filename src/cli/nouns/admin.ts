import { adminRole } from '../../operations/admins/admin-role.ts'
import { inviteAdmin } from '../../operations/admins/invite-admin.ts'
import { removeAdmin } from '../../operations/admins/remove-admin.ts'
import { listAdmins } from '../../operations/admins/list-admins.ts'
import { email } from '../../operations/entered-fields.ts'
import { requireAccount } from '../../operations/require-account.ts'
import { joinPath } from '../../network/public-link.ts'
import { account } from '../account-option.ts'
import { adminContextOf } from '../context.ts'
import { defineVerb, optional, required } from '../verb.ts'

const who = { account, email: required('EMAIL', email, "The administrator's e-mail", 'you@my.example') }

export const adminVerbs = {
  invite: defineVerb({
    summary: 'Add an administrator or auditor and print a console sign-in link (valid once, for 15 minutes)',
    options: {
      ...who,
      role: optional(
        'ROLE',
        adminRole,
        'Administrator (the default), or auditor, who reads everything and changes nothing',
        'auditor',
      ),
    },
    async run(context, given) {
      await requireAccount(context.db(), given.account)
      const path = await inviteAdmin(adminContextOf(context, given.account), given.email, given.role)
      return { sign_in_url: joinPath(context.publicUrl(), path) }
    },
  }),

  list: defineVerb({
    summary: 'List all administrators, including removed ones',
    options: { account },
    empty: (of) => `No administrators. Add one with \`gate admin invite${of} --email EMAIL\`.`,
    async run(context, given) {
      const admins = await listAdmins({ db: context.db(), account: given.account })
      return admins.map(({ admin_id, email: address, role, created_at, removed_at }) => ({
        admin_id,
        email: address,
        role,
        created_at,
        removed_at,
      }))
    },
  }),

  remove: defineVerb({
    summary: 'Remove an administrator and end their sessions and links',
    options: who,
    async run(context, given) {
      await requireAccount(context.db(), given.account)
      const { admin_id } = await removeAdmin(adminContextOf(context, given.account), given.email)
      return { admin_id, removed: true }
    },
  }),
}
