import { z } from 'zod'
import { suspendAccount } from '../operations/admin/accounts.ts'
import { html } from '../web/html.ts'
import { asAdmin, definePage } from './page.ts'
import { confirmation, formProblem } from './parts.ts'

/** Asks before the stop switch is thrown. */
export const suspendPage = definePage({
  path: '/console/account/suspend',
  role: 'admin',
  form: z.strictObject({}),
  async show(_visit, _query, rejected) {
    return {
      title: 'Suspend the account?',
      body: html`${formProblem(rejected)}
        <p>
          Confirms are refused. What is being sent stops after the slice under way: the rest counts as failed
          and is not sent later. Proposals stay open, and everybody can look.
        </p>
        ${confirmation({ button: 'Suspend the account', back: '/console' })}`,
    }
  },
  async send(context) {
    await suspendAccount(asAdmin(context), true)
    return { to: '/console', flash: 'account_suspended' }
  },
})

/** Asks before it is released. */
export const resumePage = definePage({
  path: '/console/account/resume',
  role: 'admin',
  form: z.strictObject({}),
  async show(_visit, _query, rejected) {
    return {
      title: 'Let the account go on?',
      body: html`${formProblem(rejected)}
        <p>Proposals can be confirmed again. What was stopped is not sent.</p>
        ${confirmation({ button: 'Let it go on', back: '/console', isHarmless: true })}`,
    }
  },
  async send(context) {
    await suspendAccount(asAdmin(context), false)
    return { to: '/console', flash: 'account_resumed' }
  },
})
