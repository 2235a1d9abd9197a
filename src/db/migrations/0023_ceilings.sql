-- What an API key may do within 24 hours, counted together with the keys that it was rotated from and to.

-- The ceilings of a key and the keys that count with it; no row where it has none.
create function gate_private.ceilings_of(p_key gate_private.api_key_hash)
returns table (keys text[], actions_per_day integer, cents_per_day json)
language sql stable as $$
  select array(
      select h.key_id from gate_private.api_key_hash h
      where h.account_id = p_key.account_id and h.family = p_key.family
      order by h.key_id
    ), p_key.actions_per_day, p_key.cents_per_day
  where p_key.actions_per_day is not null or p_key.cents_per_day is not null
$$;

create function gate.key_ceilings(p_account text, p_key text)
returns table (keys text[], actions_per_day integer, cents_per_day json)
language sql stable security definer set search_path = pg_catalog, pg_temp as $$
  select c.* from gate_private.api_key_hash h, gate_private.ceilings_of(h) c
  where h.account_id = p_account and h.key_id = p_key
$$;

drop function gate.authenticate;
-- Who holds the key with this hash: no row, or one, whether or not it still holds. `ceilings`: as key_ceilings, null for none.
create function gate.authenticate(p_hash bytea)
returns table (
  account_id text, key_id text, actors text[], powers text[], kinds text[], networks text[], ceilings json, hash bytea,
  is_valid boolean, touch_due boolean
)
language plpgsql volatile security definer set search_path = pg_catalog, pg_temp as $$
declare
  k gate_private.api_key_hash;
begin
  select * into k from gate_private.api_key_hash h where h.hash = p_hash;
  if not found then
    return;
  end if;
  return query select k.account_id, k.key_id, k.actors, k.powers, k.kinds, k.networks,
    case when k.actions_per_day is not null or k.cents_per_day is not null
      then (select row_to_json(c) from gate_private.ceilings_of(k) c) end,
    k.hash, gate_private.key_holds(k),
    k.last_used_at is null or k.last_used_at < clock_timestamp() - interval '5 minutes';
end $$;
