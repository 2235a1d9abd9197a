import { once } from 'node:events'
import { type ServerResponse, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'

/** The web server of an app. */
export interface AppHome {
  url: string
  /** The id of the app: the address of its document. */
  client: string
  redirect: string
  /** How often each path was asked for. */
  asked: Map<string, number>
  /** Answers another path, or the document otherwise. */
  serve(path: string, answer: (response: ServerResponse) => void): string
  close(): Promise<void>
}

export async function appHome(): Promise<AppHome> {
  const asked = new Map<string, number>()
  const answers = new Map<string, (response: ServerResponse) => void>()
  const server = createServer((request, response) => {
    const path = request.url!
    asked.set(path, (asked.get(path) ?? 0) + 1)
    const answer = answers.get(path)
    if (answer) return answer(response)
    response.writeHead(404).end()
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const client = `${url}/client.json`
  const redirect = 'https://chat.example/callback'
  const serve: AppHome['serve'] = (path, answer) => {
    answers.set(path, answer)
    return `${url}${path}`
  }
  serve('/client.json', (response) =>
    answerDocument(response, { client_id: client, client_name: 'Chat', redirect_uris: [redirect] }),
  )
  return {
    url,
    client,
    redirect,
    asked,
    serve,
    async close() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

export const answerDocument = (response: ServerResponse, document: unknown): void =>
  void response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(document))
