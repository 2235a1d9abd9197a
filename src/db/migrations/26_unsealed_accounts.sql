-- Which ledgers have entries after their last seal, so that a sealer with nothing to do reads nothing of any account.

create table gate_private.unsealed_account (
  account_id text not null,
  constraint unsealed_account_pkey primary key (account_id)
);

-- Whether the account is in gate_private.unsealed_account: only its first entry after a seal costs a row there.
alter table gate.ledger_head add column is_unsealed boolean not null default false;
create trigger ledger_head_unsealed before update on gate.ledger_head
  for each row when (new.seq <> old.seq and not new.is_unsealed) execute function gate_private.note_unsealed();
