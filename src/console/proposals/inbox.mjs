// What the list of waiting proposals runs: it refreshes itself, takes keys, and holds a press back for a while, with a way to undo it.
// Without it the list works as any page does. What is shown comes from the service as markup of its own pages, and is never built here.
import { heldPresses } from './presses.mjs'

const refreshMs = 30_000
const openMs = 3_600_000

const inbox = /** @type {HTMLElement} */ (document.getElementById('inbox'))
const said = document.createElement('p')
said.className = 'said'
said.setAttribute('role', 'status')
inbox.before(said)
// Where the focus waits while nothing of the list can have it, so that keys and what follows still find it here.
inbox.tabIndex = -1

const items = () => /** @type {HTMLElement[]} */ ([...inbox.querySelectorAll('li[data-id]')])
const itemOf = (target) => target?.closest?.('#inbox li[data-id]') ?? null
const boxOf = (item) => item.querySelector('input[type=checkbox]')
const lineOf = (item) => item.querySelector('.headline').textContent.trim()
const say = (text) => void (said.textContent = text)
const withId = (id) => items().find((item) => item.dataset.id === id)
/** Focuses the line of an item, or the list where there is none. What is held back is hidden: it cannot have the focus. */
const focus = (item) => (item?.querySelector('summary') ?? inbox).focus()

/** What was decided here. A list that was read before may still have it. */
const gone = new Set()
function removeGone(list) {
  for (const item of list.querySelectorAll('li[data-id]')) if (gone.has(item.dataset.id)) item.remove()
}

const { press, undo, heldWith, reasons, tellLeft } = heldPresses({
  form: () => inbox.querySelector('form.inbox'),
  picks: () => items().map((item) => [item.dataset.id, boxOf(item)?.value]),
  say,
  /** What was decided goes at once. The rest is told, or read where nothing tells it. */
  async sent(decided) {
    const focused = itemOf(document.activeElement)
    const isLost = focused !== null && decided.includes(focused.dataset.id)
    const next = nextAfter(decided)
    for (const id of decided) gone.add(id)
    removeGone(inbox)
    if (isLost) focus(next)
    mark()
    if (changes.readyState !== EventSource.OPEN || items().length === 0) await refresh()
  },
  /** Shows what is held back, and goes on to the next one or back to one that was undone. */
  changed({ held = [], undone }) {
    const after = nextAfter(held)
    mark()
    if (undone !== undefined) focus(withId(undone))
    else if (held.length > 0) focus(after)
  },
})

// The list

const parsed = (text) => new DOMParser().parseFromString(text, 'text/html')

/** Shows which are held back, selected, and refused. */
function mark() {
  for (const item of items()) {
    const one = heldWith(item.dataset.id)
    const before = item.querySelector(':scope > .held, :scope > .reason')
    const hasFocus = before?.contains(document.activeElement)
    before?.remove()
    item.classList.toggle('is-held', one !== undefined)
    if (one) {
      item.append(heldPart(one, lineOf(item)))
      if (boxOf(item)) boxOf(item).checked = false
      if (hasFocus) (item.querySelector('.held button') ?? inbox).focus()
    } else if (reasons.has(item.dataset.id))
      item.append(textPart('p', 'reason', reasons.get(item.dataset.id)))
  }
  const boxes = [...inbox.querySelectorAll('.waiting input:checked')]
  const count = inbox.querySelector('.together .count')
  if (count) count.textContent = `${boxes.length} selected.`
}

function textPart(tag, className, text) {
  const part = document.createElement(tag)
  part.className = className
  part.textContent = text
  return part
}

function heldPart(one, line) {
  const part = textPart('p', 'held', `${one.does === 'confirm' ? 'Approving' : 'Declining'}: ${line} `)
  if (one.isSending) return part
  const button = textPart('button', 'quiet', 'Undo')
  button.type = 'button'
  button.addEventListener('click', () => undo(one))
  part.append(button)
  return part
}

let isRefreshing = false
let isStale = false
/** The last reading failed: no change need follow that tells it again. */
let isUnread = false
/** Reads the list again, and keeps what is selected, open and focused, as long as its card is the same. */
async function refresh() {
  if (isRefreshing) return void (isStale = true)
  isRefreshing = true
  try {
    const answer = await fetch(location.pathname + location.search, { cache: 'no-store' })
    if (answer.redirected) return location.reload()
    const fresh = answer.ok && parsed(await answer.text()).getElementById('inbox')
    isUnread = !fresh
    if (fresh) show(fresh)
  } catch {
    isUnread = true
  } finally {
    isRefreshing = false
  }
  if (isStale) {
    isStale = false
    await refresh()
  }
}

function show(fresh) {
  const kept = new Map(items().map((item) => [`${item.dataset.id} ${item.dataset.shown}`, item]))
  const focused = itemOf(document.activeElement)
  const next = focused && nextAfter([])
  const isInside = inbox.contains(document.activeElement)
  for (const item of fresh.querySelectorAll('li[data-id]')) {
    const before = kept.get(`${item.dataset.id} ${item.dataset.shown}`)
    if (before && boxOf(before)?.value === boxOf(item)?.value) {
      item.querySelector('details').open = before.querySelector('details').open
      if (boxOf(item) && boxOf(before).checked) boxOf(item).checked = true
    }
  }
  removeGone(fresh)
  inbox.replaceChildren(...fresh.childNodes)
  prepare()
  if (!isInside) return
  const now = (item) => item && withId(item.dataset.id)
  const free = (item) => item && !heldWith(item.dataset.id)
  focus([now(focused), now(next), ...items()].find(free))
}

/** What only a script can do: select all that are alike, and keys. */
function prepare() {
  for (const heading of inbox.querySelectorAll('.alike h3')) {
    const button = textPart('button', 'quiet', 'Select all')
    button.type = 'button'
    button.addEventListener('click', () => {
      for (const box of heading.parentElement.querySelectorAll('input[type=checkbox]')) box.checked = true
      mark()
    })
    heading.append(' ', button)
  }
  const keys = inbox.querySelector('.keys')
  if (keys) keys.hidden = false
  mark()
}

/** The proposal after the focused one that is not held back. */
function nextAfter(ids) {
  const all = items()
  const at = all.indexOf(itemOf(document.activeElement))
  const free = (item) => !ids.includes(item.dataset.id) && !heldWith(item.dataset.id)
  return all.slice(at + 1).find(free) ?? all.slice(0, Math.max(at, 0)).findLast(free)
}

inbox.addEventListener('change', mark)
inbox.addEventListener('submit', (event) => {
  const { submitter } = event
  if (submitter?.name === 'only') {
    event.preventDefault()
    const [does, id, ...value] = submitter.value.split('.')
    press(does, [{ id, value: value.join('.') }])
  } else if (submitter?.value === 'nothing') {
    event.preventDefault()
  } else if (submitter?.name === 'does') {
    const boxes = [...inbox.querySelectorAll('.waiting input:checked')]
    if (boxes.length === 0) return
    event.preventDefault()
    press(
      submitter.value,
      boxes.map(({ name, value }) => ({ id: name.slice('pick_'.length), value })),
    )
    for (const box of boxes) box.checked = false
    mark()
  }
})

// Keys, while the focus is in the list

const move = (by) => {
  const free = items().filter((item) => !heldWith(item.dataset.id))
  const at = free.indexOf(itemOf(document.activeElement))
  free[at < 0 ? 0 : Math.min(Math.max(at + by, 0), free.length - 1)]?.querySelector('summary').focus()
}

/** The first press of a key shows the card, the second one decides. */
function decide(item, does) {
  const details = item.querySelector('details')
  const button = item.querySelector(`button[name=only][value^="${does}."]`)
  if (details.open && button) return button.click()
  details.open = true
  item.scrollIntoView({ block: 'nearest' })
  say(
    button
      ? `Read the card of ${lineOf(item)}. Press again to ${does === 'confirm' ? 'approve' : 'decline'}.`
      : 'This cannot be decided here.',
  )
}

const keysOf = {
  j: () => move(1),
  ArrowDown: () => move(1),
  k: () => move(-1),
  ArrowUp: () => move(-1),
  u: () => undo(),
  o: (item) => void (item.querySelector('details').open = !item.querySelector('details').open),
  x: (item) => boxOf(item)?.click(),
  a: (item) => decide(item, 'confirm'),
  d: (item) => decide(item, 'decline'),
}

inbox.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || event.repeat) return
  const act = Object.hasOwn(keysOf, event.key) ? keysOf[event.key] : undefined
  const item = itemOf(event.target)
  if (!act || (act.length > 0 && !item)) return
  event.preventDefault()
  act(item)
})

// Changes

/** Until when the list refreshes itself: it keeps no session alive. */
const until = Date.now() + openMs
const changes = new EventSource(inbox.dataset.changes)
const every = setInterval(() => {
  if (Date.now() > until) stop()
  else if (changes.readyState !== EventSource.OPEN || isUnread) void refresh()
}, refreshMs)

function stop() {
  changes.close()
  clearInterval(every)
  say('This list no longer refreshes itself. Load the page again.')
}

// Told at the beginning too: of what changed since this page was made, or while there was no connection.
changes.addEventListener('changed', () => void refresh())
changes.addEventListener('over', stop)

tellLeft()
prepare()
