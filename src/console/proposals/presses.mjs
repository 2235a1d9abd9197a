// Presses that are held back for a while before they are sent, so that they can really be taken back: until then nothing is decided.

const holdMs = 5_000
/** A press that was kept so long before the page closed was not sent. */
const leftMs = 10_000
const storeName = 'gate-held'

/**
 * @param {object} list
 * @param {() => HTMLFormElement} list.form
 * @param {() => [string, string | undefined][]} list.picks  of each proposal, what the form sends to select it
 * @param {(text: string) => void} list.say
 * @param {(decided: string[]) => Promise<void>} list.sent  some were decided
 * @param {(change: { held?: string[], undone?: string }) => void} list.changed
 */
export function heldPresses({ form, picks: picksOf, say, sent, changed }) {
  /** What is sent, and when. @type {Set<{ does: string, picks: Map<string, string>, timer: number, isSending: boolean }>} */
  const held = new Set()
  /** Why a proposal is still open, by its id. @type {Map<string, string>} */
  const reasons = new Map()
  const heldWith = (id) => [...held].find(({ picks }) => picks.has(id))

  /** Holds a decision about some proposals back, then sends it. */
  function press(does, chosen) {
    const picks = new Map(chosen.filter(({ id }) => !heldWith(id)).map(({ id, value }) => [id, value]))
    if (picks.size === 0) return
    const one = { does, picks, timer: 0, isSending: false }
    one.timer = setTimeout(() => void send(one), holdMs)
    held.add(one)
    keep(held)
    for (const id of picks.keys()) reasons.delete(id)
    changed({ held: [...picks.keys()] })
    const what = picks.size === 1 ? '1 proposal' : `${picks.size} proposals`
    const doing = does === 'confirm' ? 'Approving' : 'Declining'
    say(`${doing} ${what} in ${holdMs / 1_000} seconds. Press u to undo.`)
  }

  function undo(one = [...held].findLast(({ isSending }) => !isSending)) {
    if (!one || one.isSending) return say('There is nothing to undo: what was sent is decided.')
    clearTimeout(one.timer)
    held.delete(one)
    keep(held)
    const [undone] = one.picks.keys()
    changed({ undone })
    return say('Undone. Nothing was sent.')
  }

  /** Sends a press. It goes on where the page is left meanwhile. */
  async function send(one) {
    if (!held.has(one) || one.isSending) return
    clearTimeout(one.timer)
    one.isSending = true
    changed({})
    const { action, elements } = form()
    const selected = [...one.picks].map(([id, value]) => [`pick_${id}`, value])
    const fields = [['form_id', elements.form_id.value], ['does', one.does], ...selected]
    const body = new URLSearchParams(fields)
    let decided = []
    try {
      const answer = await fetch(action, { method: 'POST', body, keepalive: true })
      if (answer.redirected && answer.url.includes('/sign-in')) return location.reload()
      decided = told(one, reasons, new DOMParser().parseFromString(await answer.text(), 'text/html'))
      say(wordsOf(decided.length, one.picks.size))
    } catch {
      const sentence = 'The service could not be reached. Check whether this is decided, then try again.'
      for (const id of one.picks.keys()) reasons.set(id, sentence)
    }
    held.delete(one)
    keep(held)
    await sent(decided)
  }

  // A person who leaves the page has pressed already: what is held is sent at once.
  const sendAll = () => [...held].forEach((one) => void send(one))
  addEventListener('pagehide', sendAll)
  document.addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && sendAll())

  const tellLeft = () => leftOpen(picksOf()).forEach(([id, reason]) => reasons.set(id, reason))
  return { press, undo, heldWith, reasons, tellLeft }
}

/** @returns the ids of those that were decided; notes why others are still open */
function told({ picks }, reasons, page) {
  return [...picks.keys()].filter((id) => {
    const outcome = page.querySelector(`[data-outcome][data-id="${id}"]`)
    if (outcome && !['open', 'unknown'].includes(outcome.dataset.outcome)) return true
    reasons.set(id, (outcome ?? page).querySelector('.hint, .problem')?.textContent.trim() || 'Not decided.')
    return false
  })
}

const wordsOf = (decided, all) =>
  decided === all
    ? `Decided: ${decided}.`
    : `Decided: ${decided} of ${all}. The others say why they are open.`

/** Notes what is held back, so that it can be told if the browser ends before it is sent. Without storage, only this is not told. */
function keep(held) {
  const all = [...held].flatMap(({ does, picks }) =>
    [...picks.values()].map((value) => [value, [does, Date.now()]]),
  )
  try {
    if (all.length === 0) localStorage.removeItem(storeName)
    else localStorage.setItem(storeName, JSON.stringify(Object.fromEntries(all)))
  } catch {
    // A press is held back all the same.
  }
}

/** What a press was held back for when the browser ended, and is still open. */
function leftOpen(picks) {
  try {
    const left = JSON.parse(localStorage.getItem(storeName) ?? '{}')
    const isOld = ([, at]) => Date.now() - at > leftMs
    if (Object.values(left).every(isOld)) localStorage.removeItem(storeName)
    return picks.flatMap(([id, value]) => {
      const one = left[value]
      if (!one || !isOld(one)) return []
      const what = one[0] === 'confirm' ? 'approved' : 'declined'
      return [[id, `This was not ${what} when the page closed. Decide again.`]]
    })
  } catch {
    return []
  }
}
