import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createConversation } from '../../src/db/queries/previews/conversations.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { limits } from '../../src/limits.ts'
import { localWorkspaces } from '../../src/workspaces/local-workspaces.ts'
import { benchAccount } from '../support/accounts.ts'
import { type HttpClient, expectStatus, getRequest, httpClients } from '../support/http-client.ts'
import { compare, load } from '../support/load.ts'
import type { Services } from '../support/services.ts'
import { type BenchCase, byRate, clientCounts } from './case.ts'

const folders = 100
const filesPerFolder = 100
const largeBytes = 10 * 2 ** 20
const pageSliceMs = 1_000

/** Lists ten thousand files page by page, compared with one plain answer; reads a 10 MiB file, compared with plain reads. */
export const workspace: BenchCase = {
  name: 'workspace',
  async run(services, { seconds }) {
    const { key, email } = await builtConversation(services)
    const asked = `email=${encodeURIComponent(email)}`
    const ask = async (client: HttpClient, path: string) =>
      expectStatus(await client.send(getRequest(path, key)), 200).body
    const listOurs = async (client: HttpClient) => {
      const path = `/api/v1/conversations/bench/files?${asked}`
      let files = 0
      for (let after = ''; ;) {
        const page = JSON.parse(await ask(client, after === '' ? path : `${path}&after=${after}`)) as Page
        files += page.files.length
        if (page.next_after === undefined) return files
        after = encodeURIComponent(page.next_after)
      }
    }
    const listBare = async (client: HttpClient) =>
      (JSON.parse(await ask(client, `/files?conversation_id=bench&${asked}`)) as Page).files.length
    const offset = () =>
      Math.floor(Math.random() * (largeBytes / limits.fileBytesPerPage)) * limits.fileBytesPerPage
    const readOurs = (client: HttpClient) =>
      ask(client, `/api/v1/conversations/bench/files/read?path=large.txt&offset=${offset()}&${asked}`)
    const readBare = (client: HttpClient) =>
      ask(client, `/files/read?conversation_id=bench&path=large.txt&offset=${offset()}&${asked}`)

    const findings = []
    for (const clients of clientCounts) {
      const sides = {
        ours: httpClients(services.apiUrl, clients),
        bare: httpClients(services.bareUrl, clients),
      }
      const lists = async (side: HttpClient[], list: (client: HttpClient) => Promise<number>) =>
        load(clients, { count: clients * 2 }, async (n) => {
          const files = await list(side[n]!)
          if (files !== folders * filesPerFolder + 1) throw new Error(`${files} files were listed`)
        })
      await lists(sides.ours.all, listOurs)
      await lists(sides.bare.all, listBare)
      const listed = await compare({
        pairs: Math.max(3, Math.round(seconds / clients)),
        ours: () => lists(sides.ours.all, listOurs),
        bare: () => lists(sides.bare.all, listBare),
      })
      findings.push(
        byRate('list of 10,000 files, in pages of 1,000, compared with all at once', clients, listed, {
          atLeast: 0.5,
        }),
      )

      const reads = (side: HttpClient[], read: (client: HttpClient) => Promise<string>, ms: number) =>
        load(clients, { ms }, (n) => read(side[n]!))
      await reads(sides.ours.all, readOurs, pageSliceMs)
      await reads(sides.bare.all, readBare, pageSliceMs)
      const read = await compare({
        pairs: Math.max(2, Math.round((seconds * 1_000) / pageSliceMs)),
        ours: () => reads(sides.ours.all, readOurs, pageSliceMs),
        bare: () => reads(sides.bare.all, readBare, pageSliceMs),
      })
      findings.push(byRate('pages of 64 KiB of a file of 10 MiB', clients, read, { atLeast: 0.5 }))
      sides.ours.close()
      sides.bare.close()
    }
    return findings
  },
}

interface Page {
  files: unknown[]
  next_after?: string
}

/** A conversation of one member with its files, also known to the plain implementation. */
async function builtConversation(services: Services): Promise<{ key: string; email: string }> {
  const { account, key, proposers } = await benchAccount(services, { proposers: 1 })
  const [member] = await services.asSuperuser(
    `select member_id from gate.member where account_id = '${account}' limit 1`,
  )
  const memberIds = [String(member!['member_id'])]
  const conversationId = 'bench'
  await createConversation(services.db, {
    ...adminWrite(account),
    conversationId,
    title: 'Bench',
    memberIds,
  })
  await services.asSuperuser(`
    insert into bare.participant select account_id, conversation_id, member_id from gate.participant
      where account_id = '${account}'`)
  const workspaces = localWorkspaces(services.workspaceRoot)
  await workspaces.create({ account, conversationId })
  const root = workspaces.place({ account, conversationId })
  for (let folder = 0; folder < folders; folder++) {
    const path = join(root, `folder-${String(folder).padStart(3, '0')}`)
    mkdirSync(path)
    for (let file = 0; file < filesPerFolder; file++)
      writeFileSync(join(path, `file-${file}.txt`), 'x'.repeat(file))
  }
  writeFileSync(join(root, 'large.txt'), 'All work and no play makes a dull file.\n'.repeat(largeBytes / 40))
  return { key, email: proposers[0]! }
}
