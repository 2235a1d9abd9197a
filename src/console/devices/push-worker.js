// Shows a notification for each push, and opens the list of what waits. It stores nothing, and serves no page.

const list = '/console/proposals'

self.addEventListener('install', () => self.skipWaiting())

self.addEventListener('push', (event) => {
  event.waitUntil(show(messageIn(event.data)))
})

self.addEventListener('notificationclick', (event) => {
  event.notification.close()
  event.waitUntil(open(event.notification.data))
})

function show({ title, open: path }) {
  // One notification at a time: a newer one takes its place.
  const options = { tag: 'waiting', renotify: true, icon: '/console/icon-192.png', data: path }
  return self.registration.showNotification(title, options)
}

/** What a push says. Browsers demand a notification for each, also for one that cannot be read. */
function messageIn(data) {
  const otherwise = { title: 'Something waits for your decision', open: list }
  try {
    const said = data.json()
    const isOurs = typeof said.title === 'string' && /^\/console\/[\w/-]*$/.test(said.open)
    return isOurs ? said : otherwise
  } catch {
    return otherwise
  }
}

async function open(path) {
  const windows = await self.clients.matchAll({ type: 'window', includeUncontrolled: true })
  const opened = windows.find(({ url }) => new URL(url).pathname === path)
  return opened ? opened.focus() : self.clients.openWindow(path)
}
