import { z } from 'zod'
import { retireKind } from '../../operations/kinds/declared-kinds.ts'
import { html } from '../../web/html.ts'
import { asAdmin, definePage } from '../page.ts'
import { confirmation, formProblem } from '../parts.ts'
import { kindIn } from './document-pages.ts'
import { declaredKindsPath } from './paths.ts'

/** Confirms before a kind is retired. */
export const retireKindPage = definePage({
  path: `${declaredKindsPath}/:declared/retire`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { kind, retired_at: retiredAt } = await kindIn(context)
    if (retiredAt !== null && !rejected)
      return {
        title: `${kind} is retired`,
        body: html`<p><a href="${declaredKindsPath}">Back to declared kinds</a></p>`,
      }
    return {
      title: `Retire ${kind}?`,
      body: html`${formProblem(rejected)}
        <p>
          Agents can no longer propose it, and its open proposals are denied when they are confirmed. What was
          confirmed is executed. You can declare it again later.
        </p>
        ${confirmation({ button: 'Retire kind', back: declaredKindsPath })}`,
    }
  },
  async send(context) {
    const { kind } = await kindIn(context)
    await retireKind(asAdmin(context), kind)
    return { to: declaredKindsPath, flash: 'kind_retired' }
  },
})
