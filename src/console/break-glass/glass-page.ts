import { z } from 'zod'
import { glassReasonCharsMin } from '../../gate/approvals/rule.ts'
import { limits } from '../../limits.ts'
import { breakGlass, readGlassProposal } from '../../operations/break-glass/break-glass.ts'
import { passkeyFields, signedOf } from '../../operations/decisions/ask-passkey.ts'
import { notVisible } from '../../operations/actions/shown-action.ts'
import { sayIfLost } from '../../operations/decisions/decide-as-member.ts'
import { readProposal } from '../../operations/decisions/decide-in-console.ts'
import { declineReason } from '../../operations/decisions/decline-reason.ts'
import { approvalPart } from '../../web/approval-part.ts'
import { cardHtml } from '../../web/card-html.ts'
import { type Html, html } from '../../web/html.ts'
import {
  type PasskeyAsk,
  passkeyButton,
  passkeyProblem,
  signedText,
  signingAttributes,
  signingFields,
  withoutPasskeyNotice,
} from '../../web/passkey-form.ts'
import { scriptOf } from '../../web/passkey-script.ts'
import { definePage } from '../page.ts'
import { formProblem } from '../parts.ts'
import { decisionFlash } from '../proposals/decision-flash.ts'
import { proposalsPath } from '../proposals/list-page.ts'
import { rowIn } from '../row-id.ts'
import { glassPath } from './paths.ts'

const hash = z.string().regex(/^[0-9a-f]{64}$/, 'must be the value from the page')

/** A named member executes an action in place of those who must approve it: with a passkey and a reason. */
export const glassPage = definePage({
  path: glassPath(':waiting'),
  formBytesMax: limits.decisionFormBytesMax,
  form: z.strictObject({
    // The script of the page signs what the button says.
    does: z.literal('confirm', 'must be confirm'),
    shown: hash,
    digest: hash,
    reason: declineReason,
    ...passkeyFields,
  }),
  async show(context, _query, rejected) {
    const id = rowIn(context, 'waiting')
    const shown = await readGlassProposal(context.deps, context.session, id)
    // What was decided or changed meanwhile is told by the form that was refused.
    if (!shown && !rejected) throw notVisible(id)
    if (!shown) await readProposal(context.deps, context.session, id)
    if (!shown) return { title: `Execute #${id} alone?`, body: html`${formProblem(rejected)}` }
    const { open, approval, reviewWithinHours, title, row } = shown
    return {
      title: `Execute ${title} #${row.id} alone?`,
      ...scriptOf(open.passkey),
      body: html`${formProblem(rejected)} ${approval ? approvalPart(approval) : ''}
      ${cardHtml(
        open.card,
        form({
          hidden: { shown: open.shown, digest: open.digest },
          passkey: open.passkey,
          reason: rejected?.values['reason'] ?? '',
          reviewWithinHours,
          back: `${proposalsPath}/${row.id}`,
        }),
      )}`,
    }
  },
  async send(context, { does: _does, shown, digest, reason, ...signed }) {
    const { deps, session } = context
    const id = rowIn(context, 'waiting')
    const passkey = signedOf(signed)
    const row = await sayIfLost(breakGlass(deps, session, id, { shown, digest, reason, passkey }))
    return { to: `${proposalsPath}/${id}`, flash: decisionFlash(row.status, 'confirm') }
  },
})

function form({
  hidden,
  passkey,
  reason,
  reviewWithinHours,
  back,
}: {
  hidden: Record<string, string>
  passkey: PasskeyAsk | undefined
  reason: string
  reviewWithinHours: number
  back: string
}): Html {
  if (passkey?.has !== 'some') return passkey ? withoutPasskeyNotice(passkey) : html``
  return html`<form method="post" ${signingAttributes(passkey)}>
    ${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}" />`)}
    ${signingFields(passkey)} ${passkeyProblem}
    <label for="reason">Why it cannot wait</label>
    <textarea
      id="reason"
      name="reason"
      rows="3"
      minlength="${glassReasonCharsMin}"
      maxlength="${limits.reasonCharsMax}"
      aria-describedby="reason-hint"
      required
    >
${reason}</textarea>
    <p id="reason-hint">
      At least ${glassReasonCharsMin} characters. Everybody who could have approved it is told, and one of
      them reviews it within ${reviewWithinHours} hours.
    </p>
    <div class="choices">
      ${passkeyButton('Execute alone with passkey', { name: 'does', value: 'confirm' })}
    </div>
    <p>This runs it immediately, exactly as shown. This cannot be undone.</p>
    ${signedText(passkey.text)}
    <p><a href="${back}">Back to the proposal</a></p>
  </form>`
}
