/** The tables of the plain implementation, with only the keys and indexes that its statements need. */
export const bareSchema = `
  create schema bare;
  create table bare.api_key (hash bytea primary key, account_id text not null, key_id text not null);
  create table bare.member (
    account_id text, member_id text, name text not null, email text, slack text, admin_tier text,
    primary key (account_id, member_id)
  );
  create unique index on bare.member (account_id, lower(email));
  create table bare.curriculum (
    account_id text, slug text, title text not null, modules integer not null, grants text not null,
    valid_days integer, primary key (account_id, slug)
  );
  create table bare.pass (
    account_id text, member_id text, curriculum text, module integer, passed_at timestamptz not null,
    primary key (account_id, member_id, curriculum, module)
  );
  create table bare.action (
    account_id text, id bigint generated always as identity, kind text not null, status text not null,
    member text not null, tier_at_request text not null, source text not null, payload json not null,
    created_at timestamptz not null default now(), requires_confirmation boolean not null, result json,
    reach_slack integer not null default 0, reach_email integer not null default 0, expires_at timestamptz,
    primary key (account_id, id)
  );
  create table bare.delivery (
    id bigint generated always as identity primary key, proposal text not null, recipient text not null,
    provider_id text not null, created_at timestamptz not null default now()
  );
  create table bare.tool_call (
    account_id text, id bigint generated always as identity, key_id text not null, member text not null,
    tier text not null, runner text not null, session text, call_id text, tool text not null, input json not null,
    decision text not null, created_at timestamptz not null default now(), primary key (account_id, id)
  );
`

/** Copies an account from the gate's tables, so that both sides give the same answers. */
export function bareAccount(account: string): string {
  return `
    insert into bare.api_key select hash, account_id, key_id from gate_private.api_key_hash
      where account_id = '${account}';
    insert into bare.member select account_id, member_id, name, email, slack, admin_tier from gate.member
      where account_id = '${account}';
    insert into bare.curriculum select account_id, slug, title, modules, grants, valid_days from gate.curriculum
      where account_id = '${account}';
    insert into bare.pass select account_id, member_id, curriculum, module, passed_at from gate.pass
      where account_id = '${account}';
    analyze bare.api_key, bare.member, bare.curriculum, bare.pass;
  `
}
