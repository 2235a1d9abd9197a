import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { verifyLedger } from '../../src/ledger/verify.ts'
import { apiClient } from '../support/api-client.ts'
import { type TestGate, startGate } from '../support/gate.ts'
import { type Model, type Real, commands, memberCount } from './commands.ts'

const numRuns = Number(process.env['MODEL_RUNS'] ?? 12)
const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31)

let gate: TestGate
beforeAll(async () => void (gate = await startGate()), 60_000)
afterAll(() => gate.stop(), 60_000)

test(
  `whatever is proposed, decided, raced, demoted and revoked, the gate is what its model says (SEED=${seed})`,
  async () => {
    const runs = fc.asyncProperty(fc.commands(commands, { maxCommands: 100, size: 'max' }), async (cmds) => {
      const { model, real } = await fresh()
      await fc.asyncModelRun(() => ({ model, real }), cmds)
      expect(await verifyLedger(gate.database.db, real.account.account)).toMatchObject({ ok: true })
      expectDelivered(model, real)
    })
    const result = await fc.check(runs, { seed, numRuns, endOnFailure: false })
    expect(
      result.failed ? [fc.defaultReportMessage(result), String(result.errorInstance)] : undefined,
    ).toBeUndefined()
  },
  numRuns * 30_000,
)

async function fresh(): Promise<{ model: Model; real: Real }> {
  const account = await gate.account()
  const members = []
  for (let n = 0; n < memberCount; n++) {
    members.push(await account.addMember({ email: mailbox(account.account, n), tier: 'guarded_write' }))
  }
  const steady = apiClient(gate.api.url, (await account.mintKey()).key)
  const model: Model = { rows: [], tiers: members.map(() => 'guarded_write' as const), isKeyRevoked: false }
  return { model, real: { account, members, client: account.client, steady } }
}

/** Each executed broadcast reached each member once, and no other message left. */
function expectDelivered(model: Model, real: Real): void {
  const executed = model.rows.filter((row) => row.kind === 'broadcast' && row.status === 'executed').length
  for (let n = 0; n < memberCount; n++) {
    const to = mailbox(real.account.account, n)
    expect(gate.sandbox.messages().filter((message) => message.to === to)).toHaveLength(executed)
  }
}

const mailbox = (account: string, n: number) => `m${n}@${account.replaceAll('_', '-').toLowerCase()}.example`
