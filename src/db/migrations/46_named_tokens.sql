-- Access tokens of connected apps are deleted a day after they have expired, unless something names them.

-- When an access token was first used to write: actions, entries or requests may name it from then on. Null: nothing does, or it is
-- no access token.
alter table gate_private.api_key_hash add column named_at timestamptz;

-- Tokens from before this was known.
update gate_private.api_key_hash set named_at = clock_timestamp() where family like 'app\_%';
