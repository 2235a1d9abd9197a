import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { localWorkspaces } from '../../src/workspaces/local-workspaces.ts'
import type { FileEntry, View, WorkspaceStore } from '../../src/workspaces/store.ts'

export interface TestWorkspace {
  /** The folder of all workspaces. */
  root: string
  /** This one's folder. */
  folder: string
  /** A folder beside all workspaces, with `secret.txt` in it. */
  outside: string
  store: WorkspaceStore
  open(view: View): WorkspaceStore
  /** Writes files, by path, with the folders they lie in. */
  write(files: Record<string, string | Buffer>): void
  path(name: string): string
  /** Every file, in pages of that many. */
  listAll(limitFiles?: number): Promise<FileEntry[]>
  paths(limitFiles?: number): Promise<string[]>
  /** The whole text of a small file; undefined where there is no such file. */
  text(path: string): Promise<string | undefined>
  remove(): void
}

export const secret = 'this is not for you'

/** A workspace on the disk, as the service would find it. */
export async function freshWorkspace(): Promise<TestWorkspace> {
  const top = mkdtempSync(join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'gate-workspace-'))
  const [root, outside] = [join(top, 'workspaces'), join(top, 'outside')]
  const id = { account: 'acct_0000000000000000', conversationId: 'site' }
  const workspaces = localWorkspaces(root)
  await workspaces.create(id)
  mkdirSync(outside)
  writeFileSync(join(outside, 'secret.txt'), secret)
  const folder = workspaces.place(id)
  const store = workspaces.open(id)
  const tree: TestWorkspace = {
    root,
    folder,
    outside,
    store,
    open: (view) => workspaces.open(id, view),
    path: (name) => join(folder, name),
    write(files) {
      const paths = Object.keys(files).map((path) => join(folder, path))
      for (const parent of new Set(paths.map(dirname))) mkdirSync(parent, { recursive: true })
      for (const [path, content] of Object.entries(files)) writeFileSync(join(folder, path), content)
    },
    async listAll(limitFiles = 1_000) {
      const all: FileEntry[] = []
      for (let after: string | null = ''; after !== null;) {
        const page: Awaited<ReturnType<WorkspaceStore['list']>> = await store.list({ after, limitFiles })
        all.push(...page.files)
        after = page.nextAfter
      }
      return all
    },
    paths: async (limitFiles) => (await tree.listAll(limitFiles)).map(({ path }) => path),
    async text(path) {
      return (await store.readRange(path, { offsetBytes: 0, lengthBytes: 65_536 }))?.bytes.toString('utf8')
    },
    remove: () => rmSync(top, { recursive: true, force: true }),
  }
  return tree
}
