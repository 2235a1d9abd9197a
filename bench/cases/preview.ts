import { randomBytes } from 'node:crypto'
import { writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { createConversation } from '../../src/db/queries/previews/conversations.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { localWorkspaces } from '../../src/workspaces/local-workspaces.ts'
import { benchAccount } from '../support/accounts.ts'
import { type HttpClient, expectStatus, getRequest, httpClients } from '../support/http-client.ts'
import { compare, load } from '../support/load.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byRate, clientCounts } from './case.ts'

const files = { 'page.html': 8 * 1_024, 'image.png': 2 ** 20 }
const sliceMs = 1_000

/** A static preview through its gateway, compared with a plain route that sends the same bytes from disk or from memory. */
export const preview: BenchCase = {
  name: 'preview',
  async run(services, { seconds }) {
    const { gateway, host, cookie } = await openedPreview(services)
    const findings = []
    const seen = { beforeMb: 0, sentBytes: 0 }
    for (const [file, bytes] of Object.entries(files)) {
      for (const clients of clientCounts) {
        const sides = { ours: httpClients(gateway, clients), bare: httpClients(services.bareUrl, clients) }
        const from = (side: HttpClient[], request: string) => () =>
          load(clients, { ms: sliceMs }, async (n) => {
            const { body } = expectStatus(await side[n]!.send(request), 200)
            if (body.length === 0) throw new Error('nothing was sent')
            if (side === sides.ours.all) seen.sentBytes += bytes
          })
        const ours = from(
          sides.ours.all,
          `GET /${file} HTTP/1.1\r\nhost: ${host}\r\ncookie: ${cookie}\r\n\r\n`,
        )
        for (const [path, name, target] of [
          ['read', 'which reads it', { atLeast: 0.5 }],
          ['cached', 'which caches it in memory', undefined],
        ] as const) {
          const bare = from(sides.bare.all, getRequest(`/preview-${path}/${file}`, 'none'))
          await ours()
          await bare()
          seen.beforeMb ||= services.maxResidentMb()['worker']!
          const compared = await compare({
            pairs: Math.max(2, Math.round((seconds * 1_000) / sliceMs)),
            ours,
            bare,
          })
          const title = `${bytes / 1_024} KiB of a static preview, compared with a plain route ${name}`
          findings.push(byRate(title, clients, compared, target))
        }
        sides.ours.close()
        sides.bare.close()
      }
    }
    const afterMb = services.maxResidentMb()['worker']!
    findings.push({
      case: 'memory of the worker after a gigabyte of previews, compared with before',
      clients: 16,
      unit: 'MB',
      ours: afterMb,
      bare: seen.beforeMb,
      ratio: afterMb / seen.beforeMb,
      target: { atMost: 1.25 },
      more: { sent_mb: seen.sentBytes / 2 ** 20 },
    })
    return findings
  },
}

/** Creates a conversation with the files, starts its preview, and opens the link. */
async function openedPreview(services: Services): Promise<{ gateway: string; host: string; cookie: string }> {
  const { account, key, proposers } = await benchAccount(services, { proposers: 1 })
  const members = await services.asSuperuser(
    `select member_id from gate.member where account_id = '${account}'`,
  )
  const memberIds = members.map((member) => String(member['member_id']))
  const conversationId = 'bench-preview'
  await createConversation(services.db, {
    ...adminWrite(account),
    conversationId,
    title: 'Bench',
    memberIds,
  })
  const workspaces = localWorkspaces(services.workspaceRoot)
  await workspaces.create({ account, conversationId })
  const folder = workspaces.place({ account, conversationId })
  writeFileSync(join(folder, 'index.html'), '<h1>Bench</h1>')
  for (const [file, bytes] of Object.entries(files)) writeFileSync(join(folder, file), randomBytes(bytes))
  // The plain routes do not use accounts or conversations.
  for (const [file, bytes] of Object.entries(files))
    writeFileSync(join(services.workspaceRoot, `bare-${file}`), randomBytes(bytes))

  const answer = await fetch(`${services.apiUrl}/api/mcp`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name: 'start_preview',
        arguments: { conversation_id: conversationId, actor: { email: proposers[0] } },
      },
    }),
  })
  const { result } = (await answer.json()) as { result: { structuredContent: { url?: string } } }
  const link = result.structuredContent.url
  if (!link) throw new Error(`the preview did not start: ${JSON.stringify(result)}`)
  const { host, port, search } = new URL(link)
  const gateway = `http://127.0.0.1:${port}`
  return { gateway, host, cookie: await redeem(gateway, host, search) }
}

/** Only browsers resolve names below localhost, so the host is set as a header. */
function redeem(gateway: string, host: string, search: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const sent = request(`${gateway}/${search}`, { headers: { host } }, (response) => {
      response.resume()
      const [cookie] = response.headers['set-cookie'] ?? []
      if (cookie) resolve(cookie.split(';')[0]!)
      else reject(new Error(`the link was answered ${response.statusCode}`))
    })
    sent.once('error', reject)
    sent.end()
  })
}
