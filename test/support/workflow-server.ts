import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { text } from 'node:stream/consumers'
import type { ServerResponse } from 'node:http'
import { ofThisMachine } from './mail-certificates.ts'

/** What a workflow does with a request: answers, hangs, or ends the connection. */
export type WorkflowAnswer =
  | { status: number; headers?: Record<string, string>; bytes?: number }
  | 'hangs'
  | 'closes'

/** The trigger of a workflow, at HTTPS on loopback as `localhost`. */
export async function startWorkflowServer(answer: () => WorkflowAnswer, certificate = ofThisMachine) {
  const posts: unknown[] = []
  const paths: string[] = []
  const actions: unknown[] = []
  const sockets = new Set<Duplex>()
  const server = createServer(certificate, async (request, response) => {
    paths.push(request.url!)
    actions.push(request.headers['x-gate-action'])
    const body = await text(request)
    posts.push(JSON.parse(body))
    const does = answer()
    if (does === 'hangs') return
    if (does === 'closes') return void request.socket.destroy()
    response.writeHead(does.status, does.headers)
    flood(response, does.bytes ?? 0)
  })
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `https://localhost:${port}/workflows/a1?sig=hush`,
    port,
    /** The bodies, the paths and the numbers of the action of all requests. */
    posts,
    paths,
    actions,
    stop: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve())
        for (const socket of sockets) socket.destroy()
      }),
  }
}

const chunk = Buffer.alloc(65_536, 120)

/** Sends as much as somebody reads. */
function flood(response: ServerResponse, bytes: number): void {
  response.on('error', () => undefined)
  for (let left = bytes; left > 0; left -= chunk.length)
    if (!response.write(chunk.subarray(0, Math.min(left, chunk.length))))
      return void response.once('drain', () => flood(response, left - chunk.length))
  response.end()
}
