import { z } from 'zod'
import { limits } from '../../limits.ts'
import { addPasskey, isFresh, newPasskeyForm, offerPasskey } from '../../operations/passkeys/add-passkey.ts'
import { companyPath } from '../../operations/sign-in/sign-in-path.ts'
import { html } from '../../web/html.ts'
import { passkeyAttributes, passkeyButton, passkeyProblem, signedFields } from '../../web/passkey-form.ts'
import { passkeyScript } from '../../web/passkey-script.ts'
import { definePage } from '../page.ts'
import { field, formProblem } from '../parts.ts'
import { passkeysPath } from './paths.ts'

const minutes = limits.freshSignInMs / 60_000

/** Adds a passkey of the signed-in member, soon after they signed in. */
export const addPasskeyPage = definePage({
  path: `${passkeysPath}/new`,
  form: z.strictObject(newPasskeyForm),
  async show({ deps, session }, _query, rejected) {
    const title = 'Add passkey'
    if (!isFresh(session))
      return {
        title,
        body: html`${formProblem(rejected)}
          <p class="notice">
            You signed in more than ${minutes} minutes ago. Sign out, sign in again, and add your passkey
            then: nobody who finds your browser open can add one.
          </p>
          ${
            session.isByCompany
              ? html`<p>
                  <a class="button" href="${companyPath(session.account)}/start?fresh=1"
                    >Sign in again with your company</a
                  >
                </p>`
              : ''
          }
          <p><a class="button" href="${passkeysPath}">Go back</a></p>`,
      }
    const { site, origin, nonce, user, algorithms, known, challenge } = await offerPasskey(deps, session)
    const offer = JSON.stringify({ user, algorithms, known, challenge })
    return {
      title,
      script: passkeyScript,
      body: html`${formProblem(rejected)}
        <p>Your device asks for your fingerprint, your face or its PIN.</p>
        <form method="post" ${passkeyAttributes('add', { site, origin, offer, name: 'Qualification Gate' })}>
          <input type="hidden" name="nonce" value="${nonce}" />
          ${signedFields(['credential', 'client_data', 'attestation', 'transports'])}
          ${field({
            name: 'name',
            label: 'Name of the passkey',
            hint: 'Such as the device that it is in.',
            charsMax: limits.passkeyNameCharsMax,
            rejected,
          })}
          ${passkeyProblem} ${passkeyButton('Create passkey')}
          <a class="button" href="${passkeysPath}">Go back</a>
        </form>`,
    }
  },
  async send({ deps, session }, fields) {
    await addPasskey(deps, session, fields)
    return { to: passkeysPath, flash: 'passkey_added' }
  },
})
