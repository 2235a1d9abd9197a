import { readdirSync, writeFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
import { expect, test } from '@jest/globals'
import { verifyFile } from '#verify'
import { migrate } from '../../src/db/migrate.ts'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { productVersion } from '../../src/process/version.ts'
import { apiClient } from '../support/api-client.ts'
import { freshDatabase } from '../support/database.ts'
import { startGate } from '../support/gate.ts'
import { callTool } from '../support/mcp-tool.ts'
import { until } from '../support/until.ts'
import { type Kept, keep, keptPath, putBack, readKept, schemaOf } from './kept.ts'
import { type Known, keptEnv, keptScene } from './scene.ts'

// The databases of former versions are kept beside this file. `UPGRADE_WRITE=1 npm test test/upgrade` keeps that of this version.

const formerVersions = readdirSync(import.meta.dirname)
  .filter((file) => file.endsWith('.json.gz'))
  .map((file) => file.slice(0, -'.json.gz'.length))

test('the first version is kept', () => expect(formerVersions).toContain('0.1.0'))

test.each(formerVersions)('a database of %s is migrated, and its work goes on', async (version) => {
  expect(await goneOn(readKept<Known>(version))).toMatchObject({ by: 'mandate' })
})

test('the database of this version can be kept for the next ones', async () => {
  const gate = await startGate({ env: keptEnv })
  try {
    const known = await keptScene(gate)
    await gate.stopWorkers()
    const kept = await keep(gate.database, productVersion, known)
    for (const { name, rows } of kept.tables) expect([name, rows.includes('\u0000')]).toEqual([name, false])
    if (process.env['UPGRADE_WRITE'] === '1')
      writeFileSync(keptPath(productVersion), gzipSync(JSON.stringify(kept), { level: 9 }))
    expect(await goneOn(kept)).toMatchObject({ by: 'mandate' })
  } finally {
    await gate.stop()
  }
})

/** Migrates a kept database and goes on with it. @returns the consent to what is done by its mandate */
async function goneOn(kept: Kept<Known>): Promise<unknown> {
  const { accounts, lived, mandate } = kept.known
  const database = await freshDatabase(true)
  const { ownerUrl, serviceUrl, superuserUrl } = database
  await migrate(ownerUrl, serviceUrl, () => {}, schemaOf(kept))
  await putBack(superuserUrl, kept)
  await migrate(ownerUrl, serviceUrl, () => {})
  expect(await migrate(ownerUrl, serviceUrl, () => {})).toEqual([])
  const gate = await startGate({ database, env: keptEnv })
  try {
    const verified = async () =>
      Promise.all(accounts.map(async (account) => (await verifyLedger(gate.database.db, account))!.ok))
    expect(await verified()).toEqual(accounts.map(() => true))

    const client = apiClient(gate.api.url, lived.key)
    const actor = { email: lived.email }
    expect((await client.capability(actor)).body).toMatchObject({ tier: 'write' })
    // It has no workflow here: the reconciler starts one.
    await client.confirm(lived.open, actor)
    await until(
      'what was proposed before is executed',
      async () => (await client.get(lived.open)).body.status === 'executed',
    )
    const { receipt } = (await client.get(lived.executed)).body
    const jwks = JSON.stringify(await gate.deps.receipts.published())
    expect(await verifyFile(bytesOf(receipt), { jwks })).toMatchObject({ ok: true })

    const agent = apiClient(gate.api.url, mandate.key)
    const member = { actor: { email: mandate.email } }
    const paid = await callTool(agent, 'send_payout', { ...member, amount_cents: 1_000 })
    const confirmed = await callTool(agent, 'confirm_action', { ...member, id: paid.body.id })
    expect(confirmed.body.consent?.mandate?.id).toBe(mandate.id)
    expect(await verified()).toEqual(accounts.map(() => true))
    return confirmed.body.consent
  } finally {
    await gate.stop()
  }
}

async function* bytesOf(text: string) {
  yield Buffer.from(text)
}
