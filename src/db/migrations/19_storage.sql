-- How the tables that change most are stored and vacuumed. The defaults suit tables that stay small: with a fifth of a table of
-- ten million rows dead before it is vacuumed, every index keeps entries of two million dead rows.

-- Room on each page for the next version of a row that waits there: an update on the same page writes no index, unless it
-- changes an indexed column. So gate.action, whose updates nearly all do, gains nothing, and is left as it is.
alter table gate.delivery set (fillfactor = 90);
alter table gate.provider_call set (fillfactor = 90);
alter table gate.consent_request set (fillfactor = 90);
alter table gate.tool_count set (fillfactor = 90);
alter table gate_private.api_key_hash set (fillfactor = 90);
alter table gate_private.session set (fillfactor = 90);

-- Rows that change, and go on existing: each decided action leaves dead entries in the indexes of open ones, which every
-- proposal reads.
alter table gate.action set (autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02);
alter table gate.delivery set (autovacuum_vacuum_scale_factor = 0.02);
alter table gate.consent_request set (autovacuum_vacuum_scale_factor = 0.02);
alter table gate.provider_call set (autovacuum_vacuum_scale_factor = 0.02);

-- Rows that are only added, until they are archived: frozen in many small steps rather than in a few large ones, and the
-- space of archived entries is soon used again.
alter table gate.ledger set (
  autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.02,
  autovacuum_analyze_scale_factor = 0.02);

-- Rows that come and go: as many are dead as are alive within minutes or a day, whatever the size of the table.
alter table gate_private.open_action set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
alter table gate_private.message_update set (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500);
alter table gate_private.consent_token set (autovacuum_vacuum_scale_factor = 0.05);
alter table gate.idempotency set (autovacuum_vacuum_scale_factor = 0.05);
alter table gate.tool_call set (autovacuum_vacuum_scale_factor = 0.02);
alter table gate.tool_count set (autovacuum_vacuum_scale_factor = 0.05);
