import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { projectRoot } from '../../src/process/root.ts'
import { depsOf, openAccount } from '../ledger/lived-account.ts'
import { type TestDatabase, freshDatabase } from '../support/database.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await freshDatabase()
})
afterAll(() => database.drop())

/** Without them the planner repeats what stands in a subquery for each row of the table, as it may for any statistics. */
const nestedLoops = ['hashjoin', 'mergejoin', 'hashagg', 'sort', 'material', 'memoize']
  .map((one) => `set local enable_${one} = off;`)
  .join('\n')

/** Rows that are due, the function that takes two of them, and which are left. */
const takers = {
  'forms that were sent': [
    `insert into gate_private.sent_form (form, claim, sent_at)
     select sha256(n::text::bytea), gen_random_uuid(), now() - interval '31 days' from generate_series(1, 5) n`,
    `gate.forget_sign_ins(1000, 2)`,
    'gate_private.sent_form',
  ],
  'links to sign in': [
    `insert into gate_private.sign_in_link (token, account_id, mailbox, member_id, expires_at)
     select sha256(n::text::bytea), 'ACCOUNT', '\\x00', 'm', now() - interval '3 days' from generate_series(1, 5) n`,
    `gate.forget_sign_ins(1000, 2)`,
    'gate_private.sign_in_link',
  ],
  'clients of apps': [
    `insert into gate_private.app_client (client_id, name, redirects, created_at)
     select 'c' || n, 'App', '{x}', now() - interval '3 days' from generate_series(1, 5) n`,
    `gate.forget_apps(1000, 2)`,
    'gate_private.app_client',
  ],
  'messages to update': [
    `insert into gate_private.message_update (account_id, action_id, n) select 'ACCOUNT', n, 1 from generate_series(1, 5) n`,
    `gate.take_message_updates(2, 60000)`,
    `gate_private.message_update where due_at <= now()`,
  ],
  'workflows to wake': [
    `insert into gate_private.open_action (uuid, account_id, action_id, kind, expires_at, wake, due_at)
     select gen_random_uuid(), 'ACCOUNT', n, 'x', now() + interval '1 day', 'start', now() from generate_series(1, 5) n`,
    `gate.take_due(2, 60000)`,
    `gate_private.open_action where due_at <= now()`,
  ],
  'servers to read': [
    `insert into gate_private.upstream_due (account_id, upstream) select 'ACCOUNT', 'u' || n from generate_series(1, 5) n`,
    `gate.take_due_upstreams(2, 60000)`,
    `gate_private.upstream_due where due_at <= now()`,
  ],
  'members to tell': [
    `insert into gate_private.member_notice_due (account_id, about, subject, member_id, due_at)
     select 'ACCOUNT', 'delegation_start', 'd' || n, 'm', now() from generate_series(1, 5) n`,
    `gate.take_member_notices(2, 60000)`,
    `gate_private.member_notice_due where due_at <= now()`,
  ],
  'deliveries that ended': [
    `insert into gate.event_delivery (account_id, endpoint_id, event_id, type, at, state, ended_at, due_at)
     select 'ACCOUNT', 'e', 'evt' || n, 'test', now(), 'delivered', now() - interval '40 days', now() from generate_series(1, 5) n;
     insert into gate_private.event_account (account_id, cleared_at) values ('ACCOUNT', now() - interval '1 day')`,
    `gate.clear_events(86400000, 3600000, 2)`,
    'gate.event_delivery',
  ],
}

test('a page takes as many rows as it may, however the database joins', async () => {
  const deps = depsOf(database)
  const { account } = await openAccount(deps)
  await deps.close()
  const left: Record<string, number> = {}
  for (const [what, [rows, taker, rest]] of Object.entries(takers)) {
    const inserted = rows!.replaceAll('ACCOUNT', account)
    // Neither the accounts nor the actions behind these rows exist.
    await database.asSuperuser(
      `begin; set local session_replication_role = replica; delete from ${rest!.split(' where ')[0]}; ${inserted}; commit`,
    )
    await database.asSuperuser(`begin; ${nestedLoops} select * from ${taker}; commit`)
    const [counted] = await database.asSuperuser(`select count(*)::int as n from ${rest}`)
    left[what] = counted!['n'] as number
  }
  expect(left).toEqual(Object.fromEntries(Object.keys(takers).map((what) => [what, 3])))
})

test('no function takes a page in a subquery, which the database may run once for each row', () => {
  const folder = join(projectRoot, 'src', 'db', 'functions')
  const found = readdirSync(folder).flatMap((name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    return [...text.matchAll(/\blimit\b[^;]*?\bfor update\b/g)]
      .filter(({ index }) => /(?<! as materialized )\($/.test(text.slice(0, startOfSelect(text, index))))
      .map(({ index }) => `${name}:${text.slice(0, index).split('\n').length}`)
  })
  expect(found).toEqual([])
})

/** Where the query begins to which the place belongs: behind the parenthesis around it, or behind the statement before. */
function startOfSelect(text: string, place: number): number {
  let depth = 0
  for (let n = place; n > 0; n--) {
    const letter = text[n - 1]
    if (letter === ';') return n
    if (letter === ')') depth += 1
    if (letter === '(' && depth-- === 0) return n
  }
  return 0
}
