-- Administration by program: API keys that do what administrators do.

alter table gate.api_key
  -- Calls of the administration API in 24 hours. Null: the key has no power there.
  add column admin_calls_per_day integer,
  -- The actor who minted it; where that was a key, who minted that one. Null: minted before this was kept.
  add column minted_by text,
  drop constraint api_key_powers_known,
  -- Of administration the form only: which powers there are is known to the service.
  add constraint api_key_powers_known check (
    cardinality(powers) > 0 and array_to_string(powers, ' ', '')
      ~ '^(read|propose|confirm|execute|admin:[a-z]+\.[a-z]+)( (read|propose|confirm|execute|admin:[a-z]+\.[a-z]+))*$'
    or powers = array['runner'] and cardinality(actors) = 1
  ),
  -- Nothing is about one member alone, and no app gets it.
  add constraint api_key_admin_whole check (
    (admin_calls_per_day is null) = (array_to_string(powers, ' ', '') !~ 'admin:')
    and (admin_calls_per_day is null or actors is null and grant_id is null)
  ),
  add constraint api_key_admin_calls_range check (admin_calls_per_day between 1 and 99999);

alter table gate_private.api_key_hash add column admin_calls_per_day integer;
