import { type TestAssertion, type TestPasskey, testPasskey } from './authenticator.ts'
import type { Visitor } from './console.ts'
import { consentChallenge } from '../../src/ledger/consents/evidence.ts'
import { addChallenge, signInChallenge } from '../../src/operations/passkeys/site.ts'
import { formOf } from './form-of.ts'

/** The address of a gate that has passkeys. */
export const passkeySite = 'https://gate.example.com'

/** What the page of a form carries for its script. */
export const dataOn = (html: string): Record<string, string> =>
  Object.fromEntries(
    [...html.matchAll(/ data-([a-z-]+)="([^"]*)"/g)].map(([, name, value]) => [name!, unescaped(value!)]),
  )

const unescaped = (text: string) =>
  text
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')

const base64url = (bytes: Buffer | string) => Buffer.from(bytes).toString('base64url')

/** The fields of a form that an assertion fills in. */
export const fieldsOfAssertion = (made: TestAssertion) => ({
  credential: base64url(made.credential),
  client_data: base64url(made.clientData),
  authenticator_data: base64url(made.authenticatorData),
  signature: base64url(made.signature),
})

/** Adds a passkey on the page, as the script of it does. */
export async function addPasskey(
  visitor: Visitor,
  key: TestPasskey = testPasskey({ origin: passkeySite }),
  name = 'Laptop',
): Promise<TestPasskey> {
  const form = formOf((await visitor.open('/console/passkeys/new')).html)
  const made = key.register(addChallenge(Buffer.from(form['nonce'] ?? '', 'hex')))
  const answer = await visitor.send('/console/passkeys/new', { ...form, ...made, name })
  if (answer.status !== 303) throw new Error(`not added: ${answer.status} ${answer.text}`)
  return key
}

/** The form of a decision, signed by a passkey over what the page shows. */
export function signedForm(
  html: string,
  key: TestPasskey,
  does: 'confirm' | 'decline' = 'confirm',
  changes: Parameters<TestPasskey['assert']>[1] = {},
): Record<string, string> {
  const form = formOf(html)
  const { digest, nonce } = dataOn(html)
  const challenge = consentChallenge({ digest: digest!, nonce: nonce!, decision: does, card: form['shown']! })
  return { ...form, ...fieldsOfAssertion(key.assert(challenge, changes)), does }
}

/** The form of a sign-in, signed by a passkey. */
export function signInForm(html: string, key: TestPasskey, handle: string): Record<string, string> {
  const form = formOf(html)
  const made = key.assert(signInChallenge(Buffer.from(form['nonce']!, 'hex')))
  return { ...form, ...fieldsOfAssertion(made), user_handle: handle }
}
