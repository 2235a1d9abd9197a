import { z } from 'zod'
import { suspendAccount } from '../operations/accounts/suspend-account.ts'
import type { Session } from '../operations/sign-in/session.ts'
import { type Html, html } from '../web/html.ts'
import { asAdmin, definePage } from './page.ts'
import { confirmation, formProblem } from './parts.ts'

/** The switch on a page. @param effect  what suspending does, as a sentence */
export const stopSection = ({ isSuspended }: Pick<Session, 'isSuspended'>, effect: string): Html =>
  html`<section aria-labelledby="stop">
    <h2 id="stop">Stop switch</h2>
    ${
      isSuspended
        ? html`<p>
              The account is suspended. Confirms are refused, every tool call is denied, and nothing is
              executed.
            </p>
            <p><a class="button" href="/console/account/resume">Resume account</a></p>`
        : html`<p>${effect}</p>
            <p><a class="button" href="/console/account/suspend">Suspend account</a></p>`
    }
  </section>`

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
          count as failed and are not contacted later. Every tool call of an agent runner is denied, and
          consents to tool calls that were not used yet end. Proposals stay open, and everyone can still view
          data.
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
        <p>
          Proposals can be confirmed again, and tool calls are decided by the policy again. Actions that were
          stopped are not sent. Consents that ended stay ended.
        </p>
        ${confirmation({ button: 'Resume account', back: '/console', isHarmless: true })}`,
    }
  },
  async send(context) {
    await suspendAccount(asAdmin(context), false)
    return { to: '/console', flash: 'account_resumed' }
  },
})
