// What pages with a passkey run, and nothing else. It fills in the form of the page: the service checks what it says.

const form = /** @type {HTMLFormElement} */ (document.querySelector('form[data-passkey]'))
const { origin, site, passkey: purpose } = form.dataset
const problem = /** @type {HTMLElement} */ (form.querySelector('[data-passkey-problem]'))
const button = /** @type {HTMLButtonElement} */ (form.querySelector('button[data-signs]'))

const does = { decide: sign, add: make, sign_in: signIn }

button.addEventListener('click', (event) => {
  // Sent by the script itself, once the passkey has signed.
  if (form.dataset.signed !== undefined) return
  event.preventDefault()
  if (!form.reportValidity()) return
  button.disabled = true
  does[purpose]().then(send, explain)
})
if (location.origin !== origin) refuse(`Passkeys work at ${origin} alone. Open this page there.`)
else if (window.PublicKeyCredential === undefined) refuse('This browser has no passkeys. Use a newer one.')

/** The passkey signs the text that stands on this page: its hash is computed here. */
async function sign() {
  const text = document.getElementById('passkey-text').textContent
  const card = new Uint8Array(await crypto.subtle.digest('SHA-256', utf8(text)))
  const decision = Uint8Array.of(button.value === 'confirm' ? 1 : 0)
  const parts = [utf8('qualification-gate/consent/v1\0'), fromHex(form.dataset.digest), decision, card]
  const challenge = await crypto.subtle.digest('SHA-256', joined([...parts, fromHex(form.dataset.nonce)]))
  const known = JSON.parse(form.dataset.passkeys)
  const allowCredentials = known.map(({ id, transports }) => ({
    type: 'public-key',
    id: fromBase64(id),
    transports,
  }))
  return asserted({ challenge, allowCredentials })
}

/** Any passkey of this site: the device asks which. */
async function signIn() {
  return asserted({ challenge: fromBase64(form.dataset.challenge) })
}

async function asserted(options) {
  const publicKey = { rpId: site, userVerification: 'required', timeout: 300_000, ...options }
  const { rawId, response } = await navigator.credentials.get({ publicKey })
  return {
    credential: rawId,
    client_data: response.clientDataJSON,
    authenticator_data: response.authenticatorData,
    signature: response.signature,
    user_handle: response.userHandle ?? new ArrayBuffer(0),
  }
}

async function make() {
  const { user, algorithms, known, challenge } = JSON.parse(form.dataset.offer)
  const publicKey = {
    rp: { id: site, name: form.dataset.name },
    user: { ...user, id: fromBase64(user.id) },
    challenge: fromBase64(challenge),
    pubKeyCredParams: algorithms.map((alg) => ({ type: 'public-key', alg })),
    excludeCredentials: known.map((id) => ({ type: 'public-key', id: fromBase64(id) })),
    authenticatorSelection: {
      residentKey: 'required',
      requireResidentKey: true,
      userVerification: 'required',
    },
    attestation: 'none',
    timeout: 300_000,
  }
  const { rawId, response } = await navigator.credentials.create({ publicKey })
  form.elements.namedItem('transports').value = (response.getTransports?.() ?? []).join(',')
  return { credential: rawId, client_data: response.clientDataJSON, attestation: response.attestationObject }
}

function send(made) {
  for (const [name, bytes] of Object.entries(made)) {
    const field = form.elements.namedItem(name)
    if (field) field.value = toBase64(bytes)
  }
  form.dataset.signed = ''
  button.disabled = false
  form.requestSubmit(button)
}

function explain(error) {
  button.disabled = false
  if (error.name === 'InvalidStateError') return say('This device has a passkey of yours already.')
  if (error.name === 'NotAllowedError')
    return say('The passkey was not used: it was cancelled, or took too long. Nothing was sent. Try again.')
  return say(`The passkey could not be used (${error.name}). Nothing was sent.`)
}

function refuse(sentence) {
  button.disabled = true
  say(sentence)
}

function say(sentence) {
  problem.textContent = sentence
  problem.hidden = false
}

function utf8(text) {
  return new TextEncoder().encode(text)
}

function joined(parts) {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

function fromHex(text) {
  return Uint8Array.from(text.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
}

function fromBase64(text) {
  return Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (sign) => sign.charCodeAt(0))
}

function toBase64(bytes) {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
