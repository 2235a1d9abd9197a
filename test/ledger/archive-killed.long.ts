import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, rmSync, watch } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from '@jest/globals'
import { listArchived } from '../../src/db/queries/ledger/archive.ts'
import type { Deps } from '../../src/deps.ts'
import { projectRoot } from '../../src/process/root.ts'
import type { TestDatabase } from '../support/database.ts'
import { archiveFor } from './archived-account.ts'
import { livedAccount } from './lived-account.ts'
import { ofThisFile } from './file-scene.ts'

let database: TestDatabase
let deps: Deps
ofThisFile((made) => ({ database, deps } = made))

const src = (path: string) => JSON.stringify(join(projectRoot, 'src', path))

/** A process that archives in files of one entry. It is killed once so many names appeared in the account's folder. */
async function archiveElsewhere(account: string, root: string, killedAtName: number): Promise<number | null> {
  const program = `
    import { connect } from ${src('db/connect.ts')}
    import { archiveLedger } from ${src('operations/maintenance/archive-ledger.ts')}
    const open = (url) => connect(url, { applicationName: 'gate test', connectionsMax: 1 })
    const [db, owner] = [open(${JSON.stringify(database.serviceUrl)}), open(${JSON.stringify(database.ownerUrl)})]
    const given = { folder: ${JSON.stringify(root)}, before: new Date(Date.now() + 60_000), entriesPerFile: 1 }
    await archiveLedger(${JSON.stringify(account)}, { db, owner, ...given })
    process.exit(0)`
  const hooks = join(projectRoot, 'test/support/run-ts.js')
  const flags = ['--no-warnings', '--import', hooks, '--input-type=module', '-e', program]
  const child = spawn(process.execPath, flags, { stdio: 'inherit' })
  let names = 0
  const watcher = watch(join(root, account), () => {
    if (++names === killedAtName) child.kill('SIGKILL')
  })
  const [code] = (await once(child, 'exit')) as [number | null]
  watcher.close()
  return code
}

test('a run that is killed over and over ends right once one is let through', async () => {
  const { account } = await livedAccount(deps)
  const archive = archiveFor(database, account)
  mkdirSync(archive.folder)
  const archivedTo: number[] = []
  // A file and the manifest are each a name that appears and is renamed: every kill is at another point of a step.
  for (const killedAtName of [1, 4, 7, 10]) {
    expect(await archiveElsewhere(account, archive.root, killedAtName)).toBeNull()
    const parts = await listArchived(database.db, account)
    archivedTo.push(parts.at(-1)?.last_seq ?? 0)
    if (parts.length > 0) expect(await archive.verifyTogether()).toMatchObject({ ok: true })
  }
  expect(archivedTo).toEqual(archivedTo.toSorted((a, b) => a - b))
  expect(await archiveElsewhere(account, archive.root, Infinity)).toBe(0)
  expect(await archive.verifyTogether()).toMatchObject({ ok: true })
  expect(await archive.verifyAlone()).toMatchObject({ ok: true, seq: 18 })
  expect(archive.parts()).toHaveLength(18)
  await archive.owner.close()
  rmSync(archive.root, { recursive: true, force: true })
}, 120_000)
