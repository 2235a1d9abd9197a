// What the page "Check a file" of the console runs. The file stays in the browser. What is shown is text, never markup.
import { PolicyError, verifyFile } from './verify.mjs'

const file = /** @type {HTMLInputElement} */ (document.getElementById('file'))
const trusted = /** @type {HTMLTextAreaElement} */ (document.getElementById('trusted'))
const payload = /** @type {HTMLInputElement} */ (document.getElementById('payload'))
const button = /** @type {HTMLButtonElement} */ (document.getElementById('check'))
const verdict = /** @type {HTMLElement} */ (document.getElementById('verdict'))

button.addEventListener('click', () => void check())
// A file that is dropped anywhere would otherwise replace the page.
document.addEventListener('dragover', (event) => event.preventDefault())
document.addEventListener('drop', (event) => {
  event.preventDefault()
  const dropped = event.dataTransfer?.files
  if (!dropped || dropped.length === 0) return
  file.files = dropped
  void check()
})
button.disabled = false

async function check() {
  const [chosen] = file.files ?? []
  if (!chosen) return show('problem', ['Choose a file.'])
  show('', ['Checking …'])
  button.disabled = true
  try {
    const found = await verifyFile(chunksOf(chosen), await options())
    if (found.ok) show('flash', found.words)
    else show('problem', [`${found.place}: ${found.problem}.`])
  } catch (error) {
    show('problem', [reasonOf(error)])
  } finally {
    button.disabled = false
  }
}

/** @returns {Promise<import('./verify.mjs').Options>} */
async function options() {
  const text = trusted.value
  const [given] = payload.files ?? []
  return {
    ...(text.trimStart().startsWith('{') ? { jwks: text } : text.trim() === '' ? {} : { policy: text }),
    ...(given ? { payload: new Uint8Array(await given.arrayBuffer()) } : {}),
  }
}

/** @param {File} chosen */
async function* chunksOf(chosen) {
  const reader = chosen.stream().getReader()
  for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
}

/**
 * @param {unknown} error
 * @returns {string}
 */
function reasonOf(error) {
  if (error instanceof PolicyError)
    return `${error.message.replace(/need --(policy|jwks).*/, 'need the keys that you trust').replace('--payload', 'A payload')}.`
  const { name } = /** @type {Error} */ (error)
  return name === 'NotReadableError' || name === 'NotFoundError'
    ? 'The file could not be read. Choose it again.'
    : 'This browser cannot check Ed25519 signatures here. Use a newer browser over https, or run the verifier with Node.js.'
}

/**
 * @param {'' | 'flash' | 'problem'} tone
 * @param {string[]} sentences
 */
function show(tone, sentences) {
  verdict.className = tone
  verdict.replaceChildren(
    ...sentences.map((sentence) => {
      const line = document.createElement('p')
      line.textContent = sentence
      return line
    }),
  )
}
