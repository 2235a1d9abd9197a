import { request as httpRequest } from 'node:http'
import type { TestAccount, TestMember } from './account.ts'
import type { ApiClient } from './api-client.ts'
import type { TestGate } from './gate.ts'
import { callTool } from './mcp-tool.ts'
import { makeConversation, writeFiles } from './site.ts'

export interface PreviewScene {
  account: TestAccount & { client: ApiClient }
  client: ApiClient
  /** Takes part in the conversation, and may start previews. */
  ada: TestMember
  actor: { email: string }
  conversationId: string
  write(files: Record<string, string | Buffer>): void
  /** The folder that the files lie in. */
  folder: string
  start(actor?: { email: string }): Promise<any>
  status(previewId: string, actor?: { email: string }): Promise<any>
  stop(previewId: string, actor?: { email: string }): Promise<any>
}

export const sitePage =
  '<!doctype html><title>Site</title><h1>Built</h1><link rel="stylesheet" href="site.css">'

/** An account whose Ada built a site of two files in a conversation. */
export async function previewScene(
  gate: TestGate,
  files: Record<string, string | Buffer> = { 'index.html': sitePage, 'site.css': 'h1 { color: red }' },
): Promise<PreviewScene> {
  const account = await gate.account()
  const ada = await account.addMember({ name: 'Ada', email: 'ada@example.com', tier: 'guarded_write' })
  const conversationId = 'site'
  await makeConversation(gate, account.account, conversationId, [ada])
  const write = (more: typeof files) => writeFiles(gate, account.account, conversationId, more)
  write(files)
  const { client } = account
  const actor = { email: 'ada@example.com' }
  const call = async (name: string, args: object) => {
    const { isError, body } = await callTool(client, name, args)
    return isError ? { refused: body.error as string } : body
  }
  return {
    account,
    client,
    ada,
    actor,
    conversationId,
    write,
    folder: gate.deps.workspaces.place({ account: account.account, conversationId }),
    start: (by = actor) => call('start_preview', { conversation_id: conversationId, actor: by }),
    status: (preview_id, by = actor) => call('preview_status', { preview_id, actor: by }),
    stop: (preview_id, by = actor) => call('stop_preview', { preview_id, actor: by }),
  }
}

export interface Seen {
  status: number
  headers: Record<string, string | string[] | undefined>
  body: Buffer
  text: string
  /** The connection ended before the answer did. */
  isCut: boolean
}

/** A viewer of one origin who keeps its cookie, and sends a path exactly as it is written. */
export interface Viewer {
  url: URL
  cookie: string | undefined
  see(path: string, options?: { method?: string; headers?: Record<string, string> }): Promise<Seen>
}

/** Names below `localhost` are this machine for browsers, and for this. */
export function viewerOf(address: string): Viewer {
  const url = new URL(address)
  const viewer: Viewer = {
    url,
    cookie: undefined,
    async see(path, { method = 'GET', headers = {} } = {}) {
      const seen = await send(url, method, path, {
        host: url.host,
        ...(viewer.cookie ? { cookie: viewer.cookie } : {}),
        ...headers,
      })
      const [set] = [seen.headers['set-cookie'] ?? []].flat()
      if (set) viewer.cookie = set.split(';')[0]
      return seen
    },
  }
  return viewer
}

/** A viewer who has opened a link. */
export async function openedBy(address: string): Promise<Viewer> {
  const viewer = viewerOf(address)
  const opened = await viewer.see(viewer.url.pathname + viewer.url.search)
  if (opened.status !== 303) throw new Error(`the link was answered ${opened.status} ${opened.text}`)
  return viewer
}

function send(url: URL, method: string, path: string, headers: Record<string, string>): Promise<Seen> {
  return new Promise((resolve, reject) => {
    const sent = httpRequest(
      { host: '127.0.0.1', port: Number(url.port), method, path, headers, agent: false },
      (response) => {
        const parts: Buffer[] = []
        response.on('data', (part: Buffer) => void parts.push(part))
        response.on('error', () => undefined)
        response.on('close', () => {
          const body = Buffer.concat(parts)
          resolve({
            status: response.statusCode!,
            headers: response.headers,
            body,
            text: body.toString(),
            isCut: !response.complete,
          })
        })
      },
    )
    sent.once('error', reject)
    sent.end()
  })
}
