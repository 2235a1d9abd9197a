import type { BenchAccount } from './accounts.ts'
import type { Services } from './services.ts'

/** From so many rows on, the indexes are built after the rows. */
const bulkRows = 100_000

/**
 * Gives an account a past: four of five actions are capability checks, half of the others were denied, and a few at the end
 * are cancelled. The newest thousand have the same times in every account, so that what is read of the last days is equal;
 * those before them are ten seconds apart.
 */
export async function fillHistory(services: Services, account: BenchAccount, rows: number): Promise<void> {
  services.ledgers.leaveOut(account.account)
  if (rows < bulkRows) return void (await services.asSuperuser(inserted(account, rows)))
  await services.asSuperuser(`alter system set max_wal_size = '16GB'`)
  await services.asSuperuser('select pg_reload_conf()')
  // An index that is not ready gets no entries; building it again makes it ready. One transaction: if it fails, nothing changed.
  await services.asSuperuser(`
    set maintenance_work_mem = '1GB';
    update pg_index set indisready = false, indisvalid = false where indrelid = 'gate.action'::regclass;
    ${inserted(account, rows)};
    reindex table gate.action;
    reset maintenance_work_mem`)
  await services.asSuperuser('vacuum (analyze) gate.action')
}

const inserted = (
  { account, memberIds: [memberId], proposers: [email] }: BenchAccount,
  rows: number,
): string => `
  set session_replication_role = replica;
  insert into gate.action (
    account_id, id, uuid, kind, status, member_id, member, tier_at_request, source, payload, salt, created_at,
    requires_confirmation, reach_slack, denial_reason, denial_code, closed_reason, decision, decided_at, result, executed_at
  )
  select '${account}', n, uuidv7(), kind, status, '${memberId}', '${email}', 'guarded_write', 'api', payload, salt, created_at,
    is_proposal, case when is_proposal then 3 else 0 end,
    case status when 'denied' then 'This broadcast requires \`guarded_write\`; Ada has \`read_only\`.' end,
    case status when 'denied' then 'tier' end, case status when 'cancelled' then 'declined' end,
    case when is_proposal then case status when 'executed' then 'confirm' when 'cancelled' then 'cancel' end end,
    case when is_proposal and status <> 'denied' then created_at + interval '30 seconds' end,
    case status when 'executed' then result end, case status when 'executed' then created_at + interval '31 seconds' end
  from generate_series(1, ${rows}) n,
  lateral (
    select n % 5 = 0 as is_proposal,
      now() - case when n > ${rows - 1_000} then (${rows} - n) * interval '20 minutes'
        else interval '14 days' + (${rows} - n) * interval '10 seconds' end as created_at
  ) a,
  lateral (
    select case when is_proposal then 'broadcast' else 'capability_check' end as kind,
      case when not is_proposal then 'executed' when n > ${rows - 100} and n % 2 = 1 then 'cancelled'
        when n % 10 = 0 then 'denied' else 'executed' end as status,
      case when is_proposal then '{"message":"Lunch is at noon."}' else '{}' end::json as payload,
      case when is_proposal then '\\x00112233445566778899aabbccddeeff'::bytea end as salt,
      case when is_proposal then '{"outcome":"done","slack":3,"email":0,"unreachable":0}'
        else '{"tier":"guarded_write","tier_source":"certification","certified":true}' end::json as result
  ) b;
  set session_replication_role = origin;
  update gate.ledger_head set action_seq = ${rows} where account_id = '${account}'`
