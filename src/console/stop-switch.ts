import { z } from 'zod'
import { suspendAccount } from '../operations/admin/accounts.ts'
import { html } from '../web/html.ts'
import { asAdmin, definePage } from './page.ts'
import { confirmation, formProblem } from './parts.ts'

/** Confirms before the account is suspended. */
export const suspendPage = definePage({
  path: '/console/account/suspend',
  role: 'admin',
  form: z.strictObject({}),
  async show(_visit, _query, rejected) {
    return {
      title: 'Suspend account?',
      body: html`${formProblem(rejected)}
        <p>
          Confirms are refused. A running broadcast stops after the current batch: the remaining recipients
          count as failed and are not contacted later. Proposals stay open, and everyone can still view data.
        </p>
        ${confirmation({ button: 'Suspend account', back: '/console' })}`,
    }
  },
  async send(context) {
    await suspendAccount(asAdmin(context), true)
    return { to: '/console', flash: 'account_suspended' }
  },
})

/** Confirms before the account is resumed. */
export const resumePage = definePage({
  path: '/console/account/resume',
  role: 'admin',
  form: z.strictObject({}),
  async show(_visit, _query, rejected) {
    return {
      title: 'Resume account?',
      body: html`${formProblem(rejected)}
        <p>Proposals can be confirmed again. Actions that were stopped are not sent.</p>
        ${confirmation({ button: 'Resume account', back: '/console', isHarmless: true })}`,
    }
  },
  async send(context) {
    await suspendAccount(asAdmin(context), false)
    return { to: '/console', flash: 'account_resumed' }
  },
})
