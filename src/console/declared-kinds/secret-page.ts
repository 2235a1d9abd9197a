import { z } from 'zod'
import { type KindSecret, readKindSecrets } from '../../operations/kinds/kind-secrets.ts'
import { rotateKindSecret } from '../../operations/kinds/rotate-kind-secret.ts'
import { type Part, html } from '../../web/html.ts'
import { type View, accountOf, asAdmin, definePage } from '../page.ts'
import { confirmation, facts, formProblem, moment } from '../parts.ts'
import { newestIn } from './kind-page.ts'
import { kindPathOf } from './paths.ts'

/** Confirms before a kind gets a new secret. The answer is the only page that ever shows it. */
export const kindSecretPage = definePage({
  path: `${kindPathOf(':declared')}/secret`,
  role: 'admin',
  form: z.strictObject({}),
  async show(context, _query, rejected) {
    const { kind, document } = await newestIn(context)
    const { executor } = document
    if (executor.type !== 'webhook' && !rejected)
      return {
        title: `${document.title} has no webhook`,
        body: html`<p>Its executor claims actions with an API key: there are no calls to sign.</p>
          <p><a href="${kindPathOf(kind)}">Back to ${document.title}</a></p>`,
      }
    const secrets = await readKindSecrets(accountOf(context), kind)
    return {
      title: `New secret for ${document.title}?`,
      body: html`${formProblem(rejected)}
        ${facts([
          ['Name', html`<code>${kind}</code>`],
          ['Address', executor.type === 'webhook' ? html`<code>${executor.url}</code>` : 'none'],
          ...secretFacts(secrets),
        ])}
        <p>${whatHappens(secrets)}</p>
        ${confirmation({ button: 'Make new secret', back: kindPathOf(kind) })}`,
    }
  },
  async send(context) {
    const { kind, document } = await newestIn(context)
    const made = await rotateKindSecret(asAdmin(context), context.deps.secretsKeys, kind)
    return madeView(document.title, made)
  },
})

const secretFacts = ([current, former]: KindSecret[]): [string, Part][] => [
  ['Secret', current ? html`made ${moment(current.created_at)}` : html`<span class="none">none</span>`],
  ...(former
    ? [['Secret before it', html`signs until ${moment(former.valid_until)}`] as [string, Part]]
    : []),
]

function whatHappens([current, former]: KindSecret[]): Part {
  if (!current) return 'Its executor is not called before it has a secret: confirmed actions end as refused.'
  const both =
    'For 24 hours each call is signed by the new and by the current secret. Change your executor over.'
  return former ? `${both} The secret before it stops signing now.` : both
}

/** The page that shows a new secret, once. */
const madeView = (title: string, { kind, secret }: { kind: string; secret: string }): View => ({
  title: 'Copy the secret',
  once: { to: kindPathOf(kind), flash: 'secret_shown_once' },
  body: html`<p>
      This is the secret of <strong>${title}</strong> (<code>${kind}</code>). It is shown only once. We store
      it encrypted, to sign the calls of its executor.
    </p>
    <p><code class="secret">${secret}</code></p>
    <p class="notice">
      Store it where your executor reads its secrets, and nowhere else. If you lose it, make a new one.
    </p>
    <p><a class="button" href="${kindPathOf(kind)}">I have copied it</a></p>`,
})
