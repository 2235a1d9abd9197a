import setUp from '../support/global-setup.ts'
import tearDown from '../support/global-teardown.ts'
import { startGate } from '../support/gate.ts'
import { lastDays } from '../../src/console/overview/activity-section.ts'
import { readActivity } from '../../src/operations/proposals/activity.ts'
import { browseLedger } from '../../src/operations/admin/browse-ledger.ts'
import { browseAudit } from '../../src/operations/audit/audit-log.ts'
import { readOverview } from '../../src/operations/proposals/overview.ts'
await setUp()
const gate = await startGate()
try {
  for (const size of [200_000]) {
    const { account } = await gate.account()
    const x = (text: string) => gate.database.asSuperuser(text)
    const [first] = await x(`select seq, action_seq from gate.ledger_head where account_id = '${account}'`)
    const t0 = Date.now()
    await x(`alter table gate.action disable trigger user`)
    await x(`insert into gate.action (account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload, created_at, requires_confirmation, denial_reason, denial_code, decision, decided_at, closed_reason, result, executed_at)
      select '${account}', n, gen_random_uuid(), k.kind, k.status, 'mem_' || lpad((n % 500)::text, 16, '0'), 'x@example.com', 'write', 'api', '{"message":"hello"}', k.at,
        k.kind <> 'capability_check' and k.status <> 'denied', case k.status when 'denied' then 'no' end, case k.status when 'denied' then 'velocity' end,
        case when k.kind = 'capability_check' or k.status in ('denied','proposed') then null when k.status = 'executed' then 'confirm' else 'cancel' end,
        case when k.kind = 'capability_check' or k.status = 'proposed' then null else k.at + interval '5 minutes' end,
        case k.status when 'cancelled' then 'proposer' end, case k.status when 'executed' then '{"outcome":"done"}'::json end, case k.status when 'executed' then k.at end
      from generate_series(1, ${size}) n, lateral (select
        now() - interval '13 days' * (1 - n::float8 / ${size}) as at,
        case when n % 4 = 0 then 'capability_check' when n % 4 = 1 then 'refund' else 'broadcast' end as kind,
        case when n % 4 = 0 or n % 20 < 12 then 'executed' when n % 20 < 15 then 'denied' when n % 1000 = 999 then 'proposed' else 'cancelled' end as status) k`)
    await x(`alter table gate.action enable trigger user`)
    await x(`insert into gate.ledger (account_id, seq, event_id, at, kind, action_id, entry, prev, hash)
      select '${account}', ${first!.seq} + n, gen_random_uuid(), now() - interval '13 days' * (1 - n::float8 / ${size}), k.kind, n,
        '{"action":' || n || ',"actor":"' || case when n % 10 = 0 then 'system' else 'mem_' || lpad((n % 500)::text, 16, '0') end || '","data":{},"key":null,"kind":"' || k.kind || '","payload_digest":null,"v":2}', '', ''
      from generate_series(1, ${size}) n, lateral (select case when n % 4 = 0 then 'checked' when n % 4 = 1 then 'proposed' when n % 4 = 2 then 'confirmed' else 'executed' end as kind) k`)
    await x(
      `update gate.ledger_head set seq = seq + ${size}, action_seq = ${size} where account_id = '${account}'`,
    )
    await x(`vacuum analyze gate.action`)
    await x(`vacuum analyze gate.ledger`)
    console.log(size, 'filled in', Date.now() - t0)
    const all = {
      kind: null,
      status: null,
      member: null,
      from: null,
      to: null,
      hasChecks: false,
      after: null,
    } as const
    const audit = { group: null, actor: null, from: null, to: null, before: null } as const
    const ago = (days: number) => new Date(Date.now() - days * 86_400_000)
    const jobs: Record<string, () => Promise<unknown>> = {
      activity: () => readActivity(gate.deps, account, lastDays(new Date(), 'Europe/Berlin')),
      overview: () => readOverview(gate.deps, { account } as never),
      ledger: () => browseLedger(gate.deps, account, all),
      'ledger checks': () => browseLedger(gate.deps, account, { ...all, hasChecks: true }),
      'ledger none': () =>
        browseLedger(gate.deps, account, { ...all, kind: 'refund', status: 'proposed', to: ago(7) }),
      'ledger days': () => browseLedger(gate.deps, account, { ...all, from: ago(7), to: ago(6) }),
      audit: () => browseAudit(gate.deps.db, account, audit),
      'audit all': () => browseAudit(gate.deps.db, account, { ...audit, group: 'all' }),
      'audit rare': () => browseAudit(gate.deps.db, account, { ...audit, group: 'keys' }),
      'audit actor none': () =>
        browseAudit(gate.deps.db, account, { ...audit, actor: 'admin:adm_0000000000000000' }),
      'audit actor': () => browseAudit(gate.deps.db, account, { ...audit, actor: 'mem_0000000000000007' }),
      'audit old': () => browseAudit(gate.deps.db, account, { ...audit, from: ago(12), to: ago(11) }),
    }
    for (const [name, job] of Object.entries(jobs)) {
      await job()
      const times: number[] = []
      for (let n = 0; n < 7; n++) {
        const s = performance.now()
        await job()
        times.push(performance.now() - s)
      }
      times.sort((a, b) => a - b)
      console.log(size, name, 'median', times[3]!.toFixed(1), 'max', times[6]!.toFixed(1))
    }
    if (size > 1000) {
      console.log(
        (
          await gate.database.asSuperuser(
            `explain (analyze, buffers) select a.denial_code, a.status, a.closed_reason from gate.action a where a.account_id = '${account}' and (a.requires_confirmation or a.status = 'denied') and a.created_at >= now() - interval '1 day' and a.created_at < now() limit 10000`,
          )
        )
          .map((r) => Object.values(r)[0])
          .join('\n'),
      )
      const a = await readActivity(gate.deps, account, lastDays(new Date(), 'Europe/Berlin'))
      console.log(JSON.stringify(a.totals), a.total, a.isMore, JSON.stringify(a.decisions))
    }
  }
} finally {
  await gate.stop()
  await tearDown()
}
process.exit(0)
