import { z } from 'zod'
import { keyLimitsOptions } from '../../keys/rights.ts'
import { suspendAccount } from '../accounts/suspend-account.ts'
import { ledgerProof } from '../audit/ledger-proof.ts'
import { setKeyLimits } from '../keys/set-key-limits.ts'
import { defineAdmin } from './admin-operation.ts'

const id = 'acct_0a1B2c3D4e5F6g7H'
const Suspended = z.object({ account_id: z.string(), suspended: z.boolean() })

const suspend = defineAdmin({
  name: 'suspend_account',
  title: 'Suspend the account',
  summary: 'Suspends the account: confirms are refused, running deliveries stop, and keys change nothing.',
  http: { method: 'POST', path: '/api/v1/admin/account/suspend' },
  power: 'admin:account.write',
  input: z.strictObject({}),
  output: Suspended,
  errors: ['forbidden'],
  example: { input: {}, output: { account_id: id, suspended: true } },
  async run(context) {
    await suspendAccount(context, true)
    return { account_id: context.account, suspended: true }
  },
})

const resume = defineAdmin({
  name: 'resume_account',
  title: 'Resume the account',
  summary:
    'Resumes a suspended account. It has a power of its own: a program that stops need not be able to start.',
  http: { method: 'POST', path: '/api/v1/admin/account/resume' },
  power: 'admin:account.resume',
  input: z.strictObject({}),
  output: Suspended,
  errors: ['forbidden'],
  example: { input: {}, output: { account_id: id, suspended: false } },
  async run(context) {
    await suspendAccount(context, false)
    return { account_id: context.account, suspended: false }
  },
})

const update = defineAdmin({
  name: 'update_account',
  title: 'Change the account',
  summary: 'Changes how the requests of the account’s keys are counted.',
  http: { method: 'POST', path: '/api/v1/admin/account' },
  power: 'admin:keys.write',
  input: z.strictObject({ key_limits: z.enum(keyLimitsOptions) }),
  output: z.object({ account_id: z.string(), key_limits: z.enum(keyLimitsOptions) }),
  errors: ['forbidden', 'conflict', 'invalid'],
  example: { input: { key_limits: 'shared' }, output: { account_id: id, key_limits: 'shared' } },
  async run(context, { key_limits: keyLimits }) {
    await setKeyLimits(context, keyLimits)
    return { account_id: context.account, key_limits: keyLimits }
  },
})

const exportLedger = defineAdmin({
  name: 'export_ledger',
  title: 'Export the ledger',
  summary: 'Streams the ledger as JSON lines, for independent verification.',
  http: { method: 'GET', path: '/api/v1/admin/ledger/export' },
  power: 'admin:ledger.read',
  // A file to keep: some generators of clients leave out an answer of the type application/x-ndjson.
  streams: 'application/octet-stream',
  input: z.strictObject({}),
  output: z.string().meta({ format: 'binary' }),
  errors: ['forbidden'],
  example: { input: {}, output: '{"v":2,"account":"acct_0a1B2c3D4e5F6g7H","seq":1}\n' },
  run: async ({ deps, account }) => jsonLines(await ledgerProof(deps, account)),
})

async function* jsonLines(lines: AsyncIterable<object>): AsyncGenerator<string> {
  for await (const line of lines) yield `${JSON.stringify(line)}\n`
}

export const accountOperations = { suspend, resume, update, exportLedger }
