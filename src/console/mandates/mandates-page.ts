import { z } from 'zod'
import { GateError } from '../../errors.ts'
import { limits } from '../../limits.ts'
import { endMandateNow, mandateOf, mandatesOf } from '../../operations/runner-calls/end-mandate.ts'
import { html } from '../../web/html.ts'
import { type PageContext, definePage, idIn } from '../page.ts'
import { confirmation, empty, facts, formProblem, moment, nameOf } from '../parts.ts'
import { commandsPart, folderOf, mandatesPath, mandatesTable, pinsOf, usesOf } from './mandate-parts.ts'

/** What members allowed agent runners in advance: an administrator sees all, a member their own. */
export const mandatesPage = definePage({
  path: mandatesPath,
  async show({ deps, session }) {
    const mandates = await mandatesOf(deps.db, session)
    return {
      title: 'Mandates',
      body: html`<p>
          With a mandate, a member lets an agent runner make some calls without asking each time: the named
          commands, in one folder, from one machine, while the files that it is pinned to stay as they were.
          The gate proposes it after the member has approved such calls.
        </p>
        ${mandates.length === 0 ? empty('No mandates are in force.') : mandatesTable(mandates)}
        ${
          mandates.length < limits.mandatesShownMax
            ? ''
            : html`<p class="hint">Only the newest ${limits.mandatesShownMax} are listed.</p>`
        }`,
    }
  },
})

/** Confirms before a mandate is ended. */
export const endMandatePage = definePage({
  path: `${mandatesPath}/:mandate/end`,
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { deps, session } = context
    const mandate = await mandateOf(deps.db, session, mandateIn(context))
    if (!mandate.isInForce && !rejected) throw new GateError('conflict', 'This mandate is not in force.')
    return {
      title: `End mandate #${mandate.action.id}?`,
      body: html`${formProblem(rejected)}
        ${facts([
          ['Commands', commandsPart(mandate)],
          ['Folder', folderOf(mandate)],
          ['Pinned to', pinsOf(mandate)],
          ['Machine', mandate.key_name],
          ['Member', nameOf(mandate.action.member)],
          ['Used', usesOf(mandate)],
          ['Ends', moment(mandate.expires_at)],
        ])}
        <p>
          From now on, the member is asked about each of these calls again. This cannot be undone; the gate
          can propose a new mandate.
        </p>
        ${confirmation({ button: 'End mandate', back: mandatesPath })}`,
    }
  },
  async send(context) {
    await endMandateNow(context.deps.db, context.session, mandateIn(context))
    return { to: mandatesPath, flash: 'mandate_ended' }
  },
})

const mandateIn = (context: PageContext): number =>
  Number(idIn(context, 'mandate', z.string().regex(/^[1-9]\d{0,14}$/)))
