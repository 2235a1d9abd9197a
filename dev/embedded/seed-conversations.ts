import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Db } from '../../src/db/connect.ts'
import { createConversation, pageConversations } from '../../src/db/queries/previews/conversations.ts'
import type { MemberRow } from '../../src/db/queries/members/members.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import { localWorkspaces } from '../../src/workspaces/local-workspaces.ts'
import { type DemoConversation, demoConversations } from './demo-sites.ts'
import { limits } from '../../src/limits.ts'

/**
 * Creates the demo conversations that do not exist. A conversation is recorded after its files, so a recorded one is
 * complete; later changes to its files and participants are kept.
 */
export async function seedConversations(
  db: Db,
  options: { account: string; members: MemberRow[]; workspaceRoot: string },
): Promise<void> {
  const { account, members, workspaceRoot } = options
  const there = await pageConversations(db, account, {
    after: '',
    limitRows: limits.demoConversationsReadMax,
  })
  for (const conversation of demoConversations) {
    const conversationId = conversation.id
    if (there.some((row) => row.conversation_id.toLowerCase() === conversationId)) continue
    await writeSite(workspaceRoot, account, conversation)
    const memberIds = members
      .filter(({ name }) => conversation.participants.includes(name))
      .map(({ memberId }) => memberId)
    const { title } = conversation
    await createConversation(db, { ...adminWrite(account), conversationId, title, memberIds })
  }
}

async function writeSite(root: string, account: string, { id, files }: DemoConversation): Promise<void> {
  const workspaces = localWorkspaces(root)
  const workspace = { account, conversationId: id }
  await workspaces.create(workspace)
  for (const [path, text] of Object.entries(files)) {
    const file = join(workspaces.place(workspace), path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, text)
  }
}
