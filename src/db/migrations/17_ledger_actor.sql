-- Who caused an entry, read by splitting its text: the regular expression took 30 of the 60 microseconds that an entry costs.
-- Every entry begins `{"action":<id>,"actor":"<id>"`. The indexes are made again: they contain the column.
drop index gate.ledger_by_actor;
alter table gate.ledger drop column actor;
alter table gate.ledger add column actor text
  generated always as (case when split_part(entry, '"', 5) = ':' then split_part(entry, '"', 6) end) stored;
create index ledger_by_actor on gate.ledger (account_id, kind, actor, seq) where kind <> 'checked';
