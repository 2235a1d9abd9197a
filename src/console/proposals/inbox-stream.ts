import type { FastifyInstance } from 'fastify'
import { PassThrough } from 'node:stream'
import type { Deps } from '../../deps.ts'
import { limits } from '../../limits.ts'
import { inboxWatch } from '../../operations/decisions/inbox-watch.ts'
import { refuseOtherMethods } from '../../transports/rest.ts'
import { inboxChangesPath } from './list-page.ts'

/**
 * Tells the open list of a member that it changed, as server-sent events without content: the list is read again as any page. The
 * stream ends with the session, and after an hour, so that it keeps no session alive.
 * @source https://html.spec.whatwg.org/multipage/server-sent-events.html
 */
export function inboxStreamRoutes(scope: FastifyInstance, deps: Deps): void {
  const inbox = inboxWatch(deps)
  const url = inboxChangesPath.replace(/^\/console/, '')
  scope.get(url, { exposeHeadRoute: false }, (request, reply) => {
    const stream = new PassThrough()
    // Without the event, the browser connects again.
    const end = (isOver: boolean) => void stream.end(isOver ? 'event: over\ndata:\n\n' : '')
    const stopWatching = inbox.watch({
      session: request.consoleSession!,
      changed: () => void stream.write('event: changed\ndata:\n\n'),
      ended: end,
    })
    const alive = setInterval(() => stream.write(':\n\n'), limits.inboxAliveMs)
    const over = setTimeout(end, limits.inboxStreamMs, true)
    stream.once('close', () => {
      stopWatching()
      clearInterval(alive)
      clearTimeout(over)
    })
    stream.write('retry: 5000\n\n')
    return reply
      .type('text/event-stream')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      .header('referrer-policy', 'same-origin')
      .send(stream)
  })
  refuseOtherMethods(scope, url, ['GET'])
}
