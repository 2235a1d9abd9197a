-- The bot of an account in Microsoft Teams, which asks members there, and who a member is there.

alter table gate.integration drop constraint integration_provider_known;
alter table gate.integration add constraint integration_provider_known
  check (provider in ('slack', 'resend', 'smtp', 'teams', 'teams_bot', 'stripe'));

-- Bots that accounts have connected, by the id of their app: whom a call of Microsoft may be for.
create table gate_private.teams_bot (
  app_id text not null,
  account_id text not null,
  constraint teams_bot_pkey primary key (app_id, account_id),
  constraint teams_bot_account_key unique (account_id)
);
create trigger integration_bot after insert or update of state on gate.integration
  for each row when (new.provider = 'teams_bot') execute function gate_private.keep_teams_bot();

-- The object id of the person in the tenant of the bot.
alter table gate.member add column teams text
  constraint member_teams_form check (teams ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$');
create unique index member_teams_key on gate.member (account_id, teams) where teams is not null;

alter table gate.member drop constraint member_erased_whole;
alter table gate.member add constraint member_erased_whole check (
  erased_at is null or name = 'erased' and email is null and slack is null and teams is null and not is_active);

drop trigger member_identities on gate.member;
create trigger member_identities after update on gate.member
  for each row when (
    old.email is distinct from new.email or old.slack is distinct from new.slack or old.teams is distinct from new.teams)
  execute function gate_private.keep_identities();

alter table gate.identity_change drop constraint identity_change_via_known;
alter table gate.identity_change add constraint identity_change_via_known check (via in ('email', 'slack', 'teams'));
alter table gate.identity_notice drop constraint identity_notice_via_known;
alter table gate.identity_notice add constraint identity_notice_via_known check (via in ('email', 'slack', 'teams'));
alter table gate.identity_notice drop constraint identity_notice_identity_known;
alter table gate.identity_notice add constraint identity_notice_identity_known
  check (identity in ('email', 'slack', 'teams', 'passkey', 'company'));
alter table gate.consent_request drop constraint consent_request_via_known;
alter table gate.consent_request add constraint consent_request_via_known check (via in ('slack', 'teams', 'email'));
