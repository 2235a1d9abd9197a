import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createConversation } from '../../src/db/queries/previews/conversations.ts'
import { adminWrite } from '../../src/db/admin-write.ts'
import type { TestAccount, TestMember } from './account.ts'
import type { TestGate } from './gate.ts'

/** A conversation `site` of one member, with a file that takes one page, one that takes two, and a hidden one. */
export async function buildSite(gate: TestGate, { account }: TestAccount, member: TestMember): Promise<void> {
  await makeConversation(gate, account, 'site', [member])
  writeFiles(gate, account, 'site', {
    'index.html': '<h1>Hé</h1>\n',
    'css/site.css': 'h1 {}',
    'large.txt': 'é'.repeat(40_000),
    '.env': 'KEY=1',
  })
}

/** Makes a conversation as an administrator would, with its folder. */
export async function makeConversation(
  gate: TestGate,
  account: string,
  conversationId: string,
  members: TestMember[],
): Promise<void> {
  const memberIds = members.map(({ memberId }) => memberId)
  await createConversation(gate.database.db, {
    ...adminWrite(account),
    conversationId,
    title: 'Test',
    memberIds,
  })
  await gate.deps.workspaces.create({ account, conversationId })
}

export function writeFiles(
  gate: TestGate,
  account: string,
  conversationId: string,
  files: Record<string, string | Buffer>,
): void {
  const folder = gate.deps.workspaces.place({ account, conversationId })
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true })
    writeFileSync(join(folder, path), content)
  }
}
