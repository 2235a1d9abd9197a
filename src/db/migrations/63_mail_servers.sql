-- Mail servers: an account can connect one. Providers of the same use replace one another: an account sends its mail by one of them.

alter table gate.integration drop constraint integration_provider_known;
alter table gate.integration add constraint integration_provider_known
  check (provider in ('slack', 'resend', 'smtp', 'stripe'));

drop index gate.integration_connected_key;
-- The use of a provider as gate_private.use_of says it.
create unique index integration_connected_key
  on gate.integration (account_id, (case when provider in ('resend', 'smtp') then 'email' else provider end))
  where state = 'connected';
