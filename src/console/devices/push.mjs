// What the page that adds a device runs: the browser subscribes at its push service, and the form says where.

const form = /** @type {HTMLFormElement} */ (document.querySelector('form[data-push-key]'))
const problem = /** @type {HTMLElement} */ (form.querySelector('[data-push-problem]'))
const button = /** @type {HTMLButtonElement} */ (form.querySelector('button[type=submit]'))

button.addEventListener('click', (event) => {
  // Sent by the script itself, once the browser has subscribed.
  if (form.dataset.subscribed !== undefined) return
  event.preventDefault()
  button.disabled = true
  subscribe().then(send, explain)
})
if (!('serviceWorker' in navigator) || !('PushManager' in window)) {
  button.disabled = true
  say(
    window.isSecureContext
      ? 'This browser shows no notifications of the console. On an iPhone or iPad, add the console to the home screen first, and open it there.'
      : 'Browsers show notifications only of an address with TLS. Ask the operator of the service.',
  )
}

async function subscribe() {
  const permission = await Notification.requestPermission()
  if (permission !== 'granted') throw new DOMException('', 'NotAllowedError')
  const { worker, scope, pushKey } = form.dataset
  await navigator.serviceWorker.register(worker, { scope })
  const { pushManager } = await navigator.serviceWorker.ready
  // One of another key of the service takes none of its messages.
  await (await pushManager.getSubscription())?.unsubscribe()
  return pushManager.subscribe({ userVisibleOnly: true, applicationServerKey: pushKey })
}

function send(subscription) {
  const fields = {
    endpoint: subscription.endpoint,
    public_key: toBase64(subscription.getKey('p256dh')),
    auth: toBase64(subscription.getKey('auth')),
  }
  for (const [name, value] of Object.entries(fields)) form.elements.namedItem(name).value = value
  form.dataset.subscribed = ''
  button.disabled = false
  form.requestSubmit(button)
}

function explain(error) {
  button.disabled = false
  if (error.name === 'NotAllowedError')
    return say(
      'This browser may not show notifications of the console. Allow it in its settings for this site, and try again.',
    )
  return say(`This browser could not subscribe (${error.name}). Nothing was added. Try again.`)
}

function say(sentence) {
  problem.textContent = sentence
  problem.hidden = false
}

function toBase64(bytes) {
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)))
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '')
}
