-- Refunds are added up per payment and per customer.

-- Who the money goes to, read from the payload as the subject is. Null: the provider names nobody.
alter table gate.action add column customer text;
create index action_confirmed_by_customer on gate.action (account_id, kind, customer, decided_at)
  where decision = 'confirm' and customer is not null;
