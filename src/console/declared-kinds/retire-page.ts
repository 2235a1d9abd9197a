import { z } from 'zod'
import { retireKind } from '../../operations/kinds/declared-kinds.ts'
import { html } from '../../web/html.ts'
import { asAdmin, definePage } from '../page.ts'
import { confirmation, facts, formProblem } from '../parts.ts'
import { aboutVersion, newestIn } from './kind-page.ts'
import { kindPathOf, kindsPath } from './paths.ts'

/** Confirms before a kind is retired. */
export const retireKindPage = definePage({
  path: `${kindPathOf(':declared')}/retire`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const newest = await newestIn(context)
    const { kind, document, retired_at: retiredAt } = newest
    if (retiredAt !== null && !rejected)
      return {
        title: `${document.title} is retired`,
        body: html`<p><a href="${kindPathOf(kind)}">Back to ${document.title}</a></p>`,
      }
    return {
      title: `Retire ${document.title}?`,
      body: html`${formProblem(rejected)}
        ${facts([['Name', html`<code>${kind}</code>`], ...aboutVersion(newest)])}
        <p>
          Agents can no longer propose it, and its open proposals are denied when they are confirmed. What was
          confirmed is executed. You can declare it again later.
        </p>
        ${confirmation({ button: 'Retire kind', back: kindPathOf(kind) })}`,
    }
  },
  async send(context) {
    const { kind } = await newestIn(context)
    await retireKind(asAdmin(context), kind)
    return { to: kindsPath, flash: 'kind_retired' }
  },
})
