-- schemas: who may use them
gate: owner gate_owner; gate_service usage
gate_private: owner gate_owner; nobody else

-- tables: row-level security and grants
gate.account: row security forced; gate_service select
gate.action: row security forced; gate_service select
gate.admin: row security forced; gate_service select
gate.api_key: row security forced; gate_service select
gate.app_grant: row security forced; gate_service select
gate.approval: row security forced; gate_service select
gate.call_change: row security forced; gate_service select
gate.claim: row security forced; gate_service select
gate.company_identity: row security forced; gate_service select
gate.company_sign_in: row security forced; gate_service select
gate.consent_request: row security forced; gate_service select
gate.conversation: row security forced; gate_service select
gate.curriculum: row security forced; gate_service select
gate.delegation: row security forced; gate_service select
gate.delivery: row security forced; gate_service select
gate.directory_user: row security forced; gate_service select
gate.endpoint: row security forced; gate_service select
gate.endpoint_secret: row security forced; gate_service select
gate.event_attempt: row security forced; gate_service select
gate.event_delivery: row security forced; gate_service select
gate.executor_call: row security forced; gate_service select
gate.executor_result: row security forced; gate_service select
gate.glass_break: row security forced; gate_service select
gate.group_membership: row security forced; gate_service select
gate.idempotency: row security forced; gate_service select
gate.identity_change: row security forced; gate_service select
gate.identity_notice: row security forced; gate_service select
gate.integration: row security forced; gate_service select
gate.integration_secret: row security forced; gate_service select
gate.kind: row security forced; gate_service select
gate.kind_secret: row security forced; gate_service select
gate.ledger: row security forced; gate_service select
gate.ledger_archive: row security forced; gate_service select
gate.ledger_head: row security forced; gate_service select
gate.ledger_seal: row security forced; gate_service select
gate.ledger_tile: row security forced; gate_service select
gate.mandate: row security forced; gate_service select
gate.mandate_debit: row security forced; gate_service select
gate.member: row security forced; gate_service select
gate.member_group: row security forced; gate_service select
gate.participant: row security forced; gate_service select
gate.pass: row security forced; gate_service select
gate.passkey: row security forced; gate_service select
gate.policy: row security forced; gate_service select
gate.preview: row security forced; gate_service select
gate.provider_call: row security forced; gate_service select
gate.push_device: row security forced; gate_service select
gate.recipient_set: row security forced; gate_service select
gate.tool_call: row security forced; gate_service select
gate.tool_consent: row security forced; gate_service select
gate.tool_count: row security forced; gate_service select
gate.upstream: row security forced; gate_service select
gate.upstream_secret: row security forced; gate_service select
gate.upstream_tool: row security forced; gate_service select
gate.viewer: row security forced; gate_service select
gate_private.account_directory: row security off; nobody else
gate_private.api_key_hash: row security off; nobody else
gate_private.app_client: row security off; nobody else
gate_private.app_code: row security off; nobody else
gate_private.app_refresh: row security off; nobody else
gate_private.company_state: row security off; nobody else
gate_private.connect_draft: row security off; nobody else
gate_private.connect_link: row security off; nobody else
gate_private.consent_token: row security off; nobody else
gate_private.epoch_cosignature: row security off; nobody else
gate_private.epoch_leaf: row security off; nobody else
gate_private.epoch_seal: row security off; nobody else
gate_private.epoch_tile: row security off; nobody else
gate_private.event_account: row security off; nobody else
gate_private.failing_notice: row security off; nobody else
gate_private.identity_notice_due: row security off; nobody else
gate_private.key_minute: row security off; nobody else
gate_private.ledger_log: row security off; nobody else
gate_private.mailbox: row security off; nobody else
gate_private.mandate_end_due: row security off; nobody else
gate_private.member_notice_due: row security off; nobody else
gate_private.message_update: row security off; nobody else
gate_private.migration: row security off; nobody else
gate_private.open_action: row security off; nobody else
gate_private.open_preview: row security off; nobody else
gate_private.passkey_nonce: row security off; nobody else
gate_private.preview_host: row security off; nobody else
gate_private.push_key: row security off; nobody else
gate_private.receipt_key: row security off; nobody else
gate_private.runner_nonce: row security forced; nobody else
gate_private.runner_signing: row security off; nobody else
gate_private.seal_fault: row security off; nobody else
gate_private.sent_form: row security off; nobody else
gate_private.session: row security off; nobody else
gate_private.sign_in_asker: row security off; nobody else
gate_private.sign_in_link: row security off; nobody else
gate_private.teams_bot: row security off; nobody else
gate_private.unsealed_account: row security off; nobody else
gate_private.upstream_due: row security off; nobody else

-- columns
gate.account
  account_id text not null, created_at timestamptz not null default clock_timestamp()
  curricula_version bigint not null default 1, integrations_version bigint not null default 0
  kinds_version bigint not null default 0, name text not null, policy_version bigint not null default 1
  roster_version bigint not null default 1, stripe_change text, stripe_changed_at timestamptz, suspended_at timestamptz
  upstreams_version bigint not null default 0
gate.action
  account_id text not null, amount_cents bigint, amount_currency text, approval_rule json, approvals_given integer
  asked_at timestamptz, asked_required text, asked_via text, begun_at timestamptz, card bytea, closed_reason text
  command_id uuid, consent_by text, consent_channel text, consent_passkey json, consent_policy_version bigint
  consent_required text, consent_strength text, consent_tier text, consented_at timestamptz
  created_at timestamptz not null, customer text, decided_at timestamptz, decided_key text, decision text
  decline_reason text, denial_code text, denial_needs json, denial_reason text, digest text, duplicate_of bigint
  executed_at timestamptz, expires_at timestamptz, facts json, former json, id bigint not null, input text
  kind text not null, kind_version integer, mandate_id bigint, member text not null, member_id text
  payload json not null, proposed_key text, rationale text, reach_email integer not null default 0
  reach_slack integer not null default 0, reach_teams integer not null default 0
  reach_unreachable integer not null default 0, recipients bytea, replaces bigint, requested_by text, requested_host text
  requires_confirmation boolean not null, result json, salt bytea, source text not null, status text not null
  subject text, tier_at_request text not null, uuid uuid not null
gate.admin
  account_id text not null, admin_id text not null, created_at timestamptz not null default clock_timestamp()
  email text not null, is_managed boolean not null default false, removed_at timestamptz
  role text not null default 'administrator'::text
  salt bytea not null default decode(replace((gen_random_uuid())::text, '-'::text, ''::text), 'hex'::text)
gate.api_key
  account_id text not null, actions_per_day integer, actors text[], admin_calls_per_day integer, cents_per_day json
  created_at timestamptz not null default clock_timestamp(), expires_at timestamptz, grant_id text, key_id text not null
  kinds text[], last4 text not null, minted_by text, name text not null, networks text[]
  powers text[] not null default ARRAY['read'::text, 'propose'::text, 'confirm'::text], revoked_at timestamptz
  rotated_from text
gate.app_grant
  account_id text not null, actions_per_day integer, cents_per_day json, client_id text not null
  created_at timestamptz not null default clock_timestamp(), ended_at timestamptz, expires_at timestamptz not null
  grant_id text not null, granted_by text not null, host text not null, kinds text[], member_id text not null
  name text not null, powers text[] not null
gate.approval
  account_id text not null, action_id bigint not null, at timestamptz not null, card bytea, channel text not null
  command_id uuid not null, digest text not null, ended_at timestamptz, for_member text, is_own boolean not null
  key_id text, member_id text not null, n integer not null, passkey json, reason text, strength text not null
gate.call_change
  account_id text not null, action_id bigint not null, at timestamptz not null default clock_timestamp()
  attempts integer not null, code text, n integer not null, state text not null, step text not null
gate.claim
  account_id text not null, action_id bigint not null, claimed_at timestamptz, claimed_key text
  lease_expires_at timestamptz, outcome text, report bytea, reported_at timestamptz, reported_key text, result json
  state text not null, token bytea
gate.company_identity
  account_id text not null, admin_id text, ended_at timestamptz, identity_id text not null, issuer text not null
  linked_at timestamptz not null default clock_timestamp(), linked_by text not null, member_id text, seen_at timestamptz
  subject text not null
gate.company_sign_in
  account_id text not null, acr text[], ciphertext bytea not null, client_id text not null, directory_claim text
  is_only boolean not null, issuer text not null, kid text not null, links_by_mailbox boolean not null
  roles json not null, roles_claim text, set_at timestamptz not null default clock_timestamp()
  wrapped_key bytea not null
gate.consent_request
  account_id text not null, action_id bigint not null, address text not null, asked_key text, attempted_at timestamptz
  card bytea, code text, created_at timestamptz not null, held_until timestamptz
  is_reminder boolean not null default false, member_id text, message json, n integer not null, outside_mandate text
  provider_id text, required text not null, state text not null default 'pending'::text, token text, via text not null
  workspace bytea
gate.conversation
  account_id text not null, conversation_id text not null, created_at timestamptz not null default clock_timestamp()
  title text not null
gate.curriculum
  account_id text not null, created_at timestamptz not null default clock_timestamp(), grants text not null
  module_titles text[], modules integer not null, retired_at timestamptz, slug text not null, title text not null
  valid_days integer
gate.delegation
  account_id text not null, created_at timestamptz not null, delegation_id text not null, ended_at timestamptz
  ended_by text, from_member text not null, kinds text[], reason text, to_member text not null
  until timestamptz not null
gate.delivery
  account_id text not null, action_id bigint not null, addresses text[] not null, attempt integer not null default 0
  attempted_at timestamptz, channel text not null, codes text[] not null, members text[] not null, message json
  provider_ids text[] not null, round integer not null default 0, slice integer not null, states text[] not null
gate.directory_user
  account_id text not null, changed_at timestamptz not null default clock_timestamp(), external_id text
  left_at timestamptz, member_id text not null, user_name text not null
gate.endpoint
  account_id text not null, created_at timestamptz not null default clock_timestamp(), description text not null
  endpoint_id text not null, failing_since timestamptz, is_full boolean not null, off_at timestamptz, off_reason text
  paused_until timestamptz, public_key bytea not null, types text[], url text not null
gate.endpoint_secret
  account_id text not null, ciphertext bytea not null, created_at timestamptz not null default clock_timestamp()
  endpoint_id text not null, kid text not null, secret_id text not null, valid_until timestamptz
  wrapped_key bytea not null
gate.event_attempt
  account_id text not null, answer text, at timestamptz not null, code text, endpoint_id text not null
  event_id text not null, ms integer not null, n integer not null, status integer
gate.event_delivery
  account_id text not null, action_id bigint, at timestamptz not null, attempts integer not null default 0
  due_at timestamptz not null default clock_timestamp(), ended_at timestamptz, endpoint_id text not null
  event_id text not null, n bigint not null, seq bigint, state text not null default 'waiting'::text
  taken_until timestamptz, tries integer not null default 0, type text not null
gate.executor_call
  account_id text not null, action_id bigint not null, attempt_id uuid, attempted_at timestamptz
  attempts integer not null default 0, body text not null, code text, due_at timestamptz, failing_since timestamptz
  first_at timestamptz, is_maybe_done boolean not null default false, location text
  state text not null default 'pending'::text, step text not null, unsigned integer not null default 0
gate.executor_result
  account_id text not null, action_id bigint not null, result json not null
gate.glass_break
  account_id text not null, action_id bigint not null, at timestamptz not null, card bytea not null
  channel text not null, digest text not null, is_justified boolean, member_id text not null, note text
  passkey json not null, reason text, review_due_at timestamptz not null, reviewed_at timestamptz, reviewed_by text
gate.group_membership
  account_id text not null, counts_from timestamptz, group_id text not null, member_id text not null
gate.idempotency
  account_id text not null, action_id bigint not null, created_at timestamptz not null default clock_timestamp()
  key uuid not null, operation text not null, request bytea not null
gate.identity_change
  account_id text not null, changed_at timestamptz, changed_by text, confirmed_at timestamptz, confirmed_by text
  former text, member_id text not null, set_at timestamptz not null, via text not null
gate.identity_notice
  account_id text not null, address text not null, changed_at timestamptz not null, changed_by text
  identity text not null, is_first boolean not null, member_id text not null, next text
  notice_id uuid not null default gen_random_uuid(), via text not null
gate.integration
  account_id text not null, action_id bigint, admin_id text, connected_at timestamptz
  created_at timestamptz not null default clock_timestamp(), disconnected_at timestamptz, fingerprint text not null
  integration_id text not null, member_id text, provider text not null, settings json not null
  state text not null default 'pending'::text
gate.integration_secret
  account_id text not null, ciphertext bytea not null, created_at timestamptz not null default clock_timestamp()
  field text not null, integration_id text not null, kid text not null, wrapped_key bytea not null
gate.kind
  account_id text not null, created_at timestamptz not null default clock_timestamp(), created_by text not null
  digest text not null, document json not null, kind text not null, retired_at timestamptz, version integer not null
gate.kind_secret
  account_id text not null, ciphertext bytea not null, created_at timestamptz not null default clock_timestamp()
  kid text not null, kind text not null, secret_id text not null, valid_until timestamptz, wrapped_key bytea not null
gate.ledger
  account_id text not null, action_id bigint
  actor text default 
CASE
    WHEN (split_part(entry, '"'::text, 5) = ':'::text) THEN split_part(entry, '"'::text, 6)
    ELSE NULL::text
END
  at timestamptz not null, entry text not null, event_id uuid not null, hash bytea not null, kind text not null
  prev bytea not null, seq bigint not null
gate.ledger_archive
  account_id text not null, archived_at timestamptz not null default clock_timestamp(), file bytea not null
  first_seq bigint not null, hash bytea not null, last_seq bigint not null, manifest bytea not null
gate.ledger_head
  account_id text not null, action_seq bigint not null default 0
  at timestamptz not null default date_trunc('milliseconds'::text, clock_timestamp())
  has_endpoints boolean not null default false, hash bytea not null default decode(repeat('00'::text, 32), 'hex'::text)
  is_unsealed boolean not null default false, seq bigint not null default 0
gate.ledger_seal
  account_id text not null, at timestamptz not null default clock_timestamp(), epoch_leaf bigint not null
  frontier bytea not null, hash bytea not null, note text, root bytea not null, salt bytea not null, size bigint not null
gate.ledger_tile
  account_id text not null, hashes bytea not null, level integer not null, n bigint not null, nodes bytea not null
  root bytea not null
gate.mandate
  account_id text not null, action_id bigint not null, ended_at timestamptz, ended_by text
  epoch bigint not null default 0, expires_at timestamptz, frozen_at timestamptz, frozen_by text, granted_at timestamptz
  key_id text not null, last_used_at timestamptz, member_id text not null, scope bytea, uses bigint not null default 0
gate.mandate_debit
  account_id text not null, action_id bigint, at timestamptz not null, cents bigint, currency text
  mandate_id bigint not null, n bigint not null
gate.member
  account_id text not null, admin_tier text, created_at timestamptz not null default clock_timestamp(), email text
  erased_at timestamptz, is_active boolean not null default true, member_id text not null, name text not null
  salt bytea not null default decode(replace((gen_random_uuid())::text, '-'::text, ''::text), 'hex'::text), slack text
  teams text, version bigint not null default 1
gate.member_group
  account_id text not null, created_at timestamptz not null, external_id text, group_id text not null
  is_of_directory boolean not null default false, name text not null
gate.participant
  account_id text not null, conversation_id text not null, created_at timestamptz not null default clock_timestamp()
  member_id text not null
gate.pass
  account_id text not null, curriculum text not null, latest_at timestamptz not null, member_id text not null
  module integer not null, passed_at timestamptz not null, revoked_at timestamptz
gate.passkey
  account_id text not null, admin_id text, created_at timestamptz not null, credential bytea not null
  is_device_bound boolean not null, member_id text not null, name text not null, passkey_id text not null
  public_key bytea not null, removed_at timestamptz, removed_by text, sign_count bigint not null
  transports text[] not null, used_at timestamptz
gate.policy
  account_id text not null, action_id bigint, created_at timestamptz not null default clock_timestamp()
  document json not null, note text, note_salt bytea, version bigint not null
gate.preview
  account_id text not null, action_id bigint not null, conversation_id text not null, ended_at timestamptz, error text
  exit_code integer, expires_at timestamptz not null, gateway_url text, host_id text, last_access_at timestamptz
  link_secret bytea, log_tail text, mode text not null default 'static'::text, preview_id text not null
  running_at timestamptz, started_at timestamptz not null, state text not null default 'starting'::text
gate.provider_call
  account_id text not null, action_id bigint not null, answer json, attempt integer not null default 0, code text
  credential text, failing_since timestamptz, first_attempted_at timestamptz, key text not null, provider text not null
  request json not null, state text not null default 'pending'::text, step text not null
gate.push_device
  account_id text not null, auth bytea not null, browser text, created_at timestamptz not null default clock_timestamp()
  device_id text not null, endpoint text not null, member_id text not null, notified_at timestamptz
  public_key bytea not null
gate.recipient_set
  account_id text not null, addresses text[] not null, channels text[] not null
  created_at timestamptz not null default clock_timestamp(), forgotten_at timestamptz
  kept_at timestamptz not null default now(), members text[] not null, sha256 bytea not null
gate.tool_call
  account_id text not null, action_id bigint, at timestamptz not null, binding bytea not null, call json
  decision text not null, effect text not null, key_id text not null, member_id text not null, n bigint not null
  outcome text, ref bytea not null, reported_at timestamptz, rule integer, runner text not null
  tier_at_request text not null, tool text not null
gate.tool_consent
  account_id text not null, action_id bigint not null, binding bytea not null, expires_at timestamptz
  granted_at timestamptz, spent_at timestamptz
gate.tool_count
  account_id text not null, allowed integer not null default 0, asked integer not null default 0
  denied integer not null default 0, hour timestamptz not null, is_noted boolean not null default false
  key_id text not null, member_id text not null, tool text not null
gate.upstream
  account_id text not null, added_at timestamptz not null default clock_timestamp(), checked_at timestamptz, command text
  connection uuid not null default gen_random_uuid(), failing_since timestamptz, failure text
  headers text[] not null default '{}'::text[], refused json not null default '[]'::json, server json
  transport text not null, upstream text not null, url text
gate.upstream_secret
  account_id text not null, ciphertext bytea not null, kid text not null, upstream text not null
  wrapped_key bytea not null
gate.upstream_tool
  account_id text not null, definition text not null, gone_at timestamptz, hash text not null, quarantined_at timestamptz
  reviewed_at timestamptz, reviewed_by text, reviewed_definition text, reviewed_hash text, rule json
  seen_at timestamptz not null default clock_timestamp(), tool text not null, upstream text not null
gate.viewer
  account_id text not null, chosen_at timestamptz not null default clock_timestamp(), person_id text not null
  time_zone text not null
gate_private.account_directory
  account_id text not null, created_at timestamptz not null default clock_timestamp()
  has_company_sign_in boolean not null default false, key_limits text not null default 'per_process'::text
gate_private.api_key_hash
  account_id text not null, actions_per_day integer, actors text[], admin_calls_per_day integer, cents_per_day json
  expires_at timestamptz, family text not null, hash bytea not null, key_id text not null, kinds text[]
  last_used_at timestamptz, named_at timestamptz, networks text[]
  powers text[] not null default ARRAY['read'::text, 'propose'::text, 'confirm'::text], refused_noted_at timestamptz
  revoked_at timestamptz
gate_private.app_client
  account_id text, client_id text not null, connected_at timestamptz
  created_at timestamptz not null default clock_timestamp(), name text not null, redirects text[] not null, secret bytea
gate_private.app_code
  account_id text not null, challenge bytea not null, code bytea not null, expires_at timestamptz not null
  grant_id text not null, redirect text not null, used_at timestamptz
gate_private.app_refresh
  account_id text not null, created_at timestamptz not null default clock_timestamp(), grant_id text not null
  token bytea not null, used_at timestamptz
gate_private.company_state
  state bytea not null, used_at timestamptz not null default clock_timestamp()
gate_private.connect_draft
  ciphertext bytea not null, created_at timestamptz not null default clock_timestamp(), field text not null
  fingerprint text not null, integration_id text not null, kid text not null, settings json not null
  token bytea not null, wrapped_key bytea not null
gate_private.connect_link
  account_id text not null, action_id bigint, admin_id text, created_at timestamptz not null default clock_timestamp()
  expires_at timestamptz not null, provider text not null, state bytea, state_session bytea, token bytea not null
  tries integer not null default 0, used_at timestamptz
gate_private.consent_token
  account_id text not null, action_id bigint not null, expires_at timestamptz not null, n integer not null
  slack_message text, token bytea not null, used_at timestamptz
gate_private.epoch_cosignature
  at timestamptz not null default clock_timestamp(), line text not null, name text not null, size bigint not null
gate_private.epoch_leaf
  account_id text not null, hash bytea not null, n bigint not null, size bigint not null
gate_private.epoch_seal
  at timestamptz not null default clock_timestamp(), frontier bytea not null, note text, root bytea not null
  size bigint not null
gate_private.epoch_tile
  hashes bytea not null, level integer not null, n bigint not null, nodes bytea not null, root bytea not null
gate_private.event_account
  account_id text not null, cleared_at timestamptz not null default clock_timestamp()
  due_at timestamptz not null default 'infinity'::timestamp with time zone, removed text[] not null default '{}'::text[]
gate_private.failing_notice
  account_id text not null, noticed_at timestamptz not null default clock_timestamp(), target text not null
gate_private.identity_notice_due
  account_id text not null, due_at timestamptz not null default clock_timestamp(), notice_id uuid not null
  tries integer not null default 0
gate_private.key_minute
  account_id text not null, ends_at timestamptz not null, key_id text not null, taken integer not null
gate_private.ledger_log
  log_id uuid not null default gen_random_uuid()
gate_private.mailbox
  account_id text not null, hash bytea not null, holder text not null
gate_private.mandate_end_due
  account_id text not null, due_at timestamptz not null, mandate_id bigint not null, tries integer not null default 0
gate_private.member_notice_due
  about text not null, account_id text not null, due_at timestamptz not null, member_id text not null
  subject text not null, tries integer not null default 0
gate_private.message_update
  account_id text not null, action_id bigint not null, due_at timestamptz not null default clock_timestamp()
  n integer not null, tries integer not null default 0
gate_private.migration
  applied_at timestamptz not null default clock_timestamp(), name text not null, sha256 text
gate_private.open_action
  account_id text not null, action_id bigint not null, again_at timestamptz
  created_at timestamptz not null default clock_timestamp(), decided_at timestamptz, due_at timestamptz
  expires_at timestamptz not null, kind text not null, uuid uuid not null, wake text not null
  woken integer not null default 0
gate_private.open_preview
  account_id text not null, action_id bigint not null, due_at timestamptz, expires_at timestamptz not null, host_id text
  preview_id text not null
gate_private.passkey_nonce
  account_id text, action_id bigint, expires_at timestamptz not null, member_id text, nonce bytea not null
  purpose text not null
gate_private.preview_host
  beat_at timestamptz not null default clock_timestamp(), gateway_url text not null, host_id text not null
  modes text[] not null, started_at timestamptz not null default clock_timestamp(), unavailable json not null
gate_private.push_key
  ciphertext bytea not null, created_at timestamptz not null default clock_timestamp()
  is_only boolean not null default true, public_key bytea not null, secrets_kid text not null, wrapped_key bytea not null
gate_private.receipt_key
  ciphertext bytea not null, created_at timestamptz not null default clock_timestamp(), kid text not null
  public_key bytea not null, secrets_kid text not null, signs_from timestamptz not null, wrapped_key bytea not null
gate_private.runner_nonce
  account_id text not null, at timestamptz not null default clock_timestamp(), key_id text not null, nonce bytea not null
  request uuid not null
gate_private.runner_signing
  account_id text not null, ciphertext bytea not null, key_id text not null, kid text, name bytea not null
  wrapped_key bytea
gate_private.seal_fault
  account_id text not null, at timestamptz not null default clock_timestamp(), held bigint not null default 0
  problem text not null
gate_private.sent_form
  claim uuid not null, flash text, form bytea not null, path text, sent_at timestamptz not null default clock_timestamp()
gate_private.session
  account_id text not null, address text, admin_id text, browser text
  created_at timestamptz not null default clock_timestamp(), expires_at timestamptz not null, id_token text
  identity_id text, is_fresh boolean not null default true, mailbox bytea not null, member_id text, passkey_id text
  seen_address text, seen_at timestamptz not null default clock_timestamp(), session_id text not null
  token bytea not null
gate_private.sign_in_asker
  asker bytea not null, mailbox bytea not null, seen_at timestamptz not null default clock_timestamp()
gate_private.sign_in_link
  account_id text not null, admin_id text, asker bytea, created_at timestamptz not null default clock_timestamp()
  expires_at timestamptz not null, is_known boolean not null default false, mailbox bytea not null, member_id text
  token bytea not null, used_at timestamptz
gate_private.teams_bot
  account_id text not null, app_id text not null
gate_private.unsealed_account
  account_id text not null
gate_private.upstream_due
  account_id text not null, due_at timestamptz not null default clock_timestamp(), upstream text not null

-- constraints
gate.account account_directory_fkey FOREIGN KEY (account_id) REFERENCES gate_private.account_directory(account_id)
gate.account account_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200)))
gate.account account_pkey PRIMARY KEY (account_id)
gate.account account_stripe_change_known CHECK ((stripe_change = ANY (ARRAY['connected'::text, 'disconnected'::text])))
gate.action action_amount_range CHECK (((amount_cents >= 0) AND (amount_cents <= '99999999999'::bigint)))
gate.action action_amount_whole CHECK (((amount_cents IS NULL) = (amount_currency IS NULL)))
gate.action action_cancelled_has_reason CHECK (((status <> 'cancelled'::text) OR (closed_reason IS NOT NULL)))
gate.action action_consent_tier_known CHECK ((consent_tier = ANY (ARRAY['read_only'::text, 'guarded_write'::text, 'write'::text])))
gate.action action_decision_known CHECK ((decision = ANY (ARRAY['confirm'::text, 'cancel'::text, 'expire'::text, 'admin_cancel'::text, 'deny'::text])))
gate.action action_decline_reason_length CHECK (((length(decline_reason) >= 1) AND (length(decline_reason) <= 500)))
gate.action action_denial_code_of_denied CHECK (((denial_code IS NULL) OR (denial_reason IS NOT NULL)))
gate.action action_denied_has_reason CHECK (((status <> 'denied'::text) OR (denial_reason IS NOT NULL)))
gate.action action_executed_has_result CHECK (((status <> 'executed'::text) OR ((result IS NOT NULL) AND (executed_at IS NOT NULL))))
gate.action action_executed_was_confirmed CHECK (((status <> 'executed'::text) OR (NOT requires_confirmation) OR (decision = 'confirm'::text)))
gate.action action_input_length CHECK (((length(input) >= 1) AND (length(input) <= 20000)))
gate.action action_kind_length CHECK (((length(kind) >= 1) AND (length(kind) <= 64)))
gate.action action_kind_version_fkey FOREIGN KEY (account_id, kind, kind_version) REFERENCES gate.kind(account_id, kind, version)
gate.action action_mandate_fkey FOREIGN KEY (account_id, mandate_id) REFERENCES gate.mandate(account_id, action_id)
gate.action action_pkey PRIMARY KEY (account_id, id)
gate.action action_rationale_length CHECK (((length(rationale) >= 1) AND (length(rationale) <= 500)))
gate.action action_reach_teams_bound CHECK ((reach_teams = ANY (ARRAY[0, 1])))
gate.action action_recipients_fkey FOREIGN KEY (account_id, recipients) REFERENCES gate.recipient_set(account_id, sha256)
gate.action action_replaces_fkey FOREIGN KEY (account_id, replaces) REFERENCES gate.action(account_id, id)
gate.action action_status_known CHECK ((status = ANY (ARRAY['proposed'::text, 'denied'::text, 'cancelled'::text, 'executed'::text])))
gate.action action_uuid_key UNIQUE (uuid)
gate.admin admin_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.admin admin_email_length CHECK (((length(email) >= 3) AND (length(email) <= 254)))
gate.admin admin_id_form CHECK ((admin_id ~ '^adm_[0-9A-Za-z]{16}$'::text))
gate.admin admin_pkey PRIMARY KEY (account_id, admin_id)
gate.admin admin_role_known CHECK ((role = ANY (ARRAY['administrator'::text, 'auditor'::text])))
gate.api_key api_key_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.api_key api_key_actions_per_day_range CHECK (((actions_per_day >= 1) AND (actions_per_day <= 9999)))
gate.api_key api_key_admin_calls_range CHECK (((admin_calls_per_day >= 1) AND (admin_calls_per_day <= 99999)))
gate.api_key api_key_admin_whole CHECK ((((admin_calls_per_day IS NULL) = (array_to_string(powers, ' '::text, ''::text) !~ 'admin:'::text)) AND ((admin_calls_per_day IS NULL) OR ((actors IS NULL) AND (grant_id IS NULL)))))
gate.api_key api_key_cents_per_day_form CHECK (gate_private.are_ceilings(cents_per_day))
gate.api_key api_key_grant_fkey FOREIGN KEY (account_id, grant_id) REFERENCES gate.app_grant(account_id, grant_id)
gate.api_key api_key_kinds_form CHECK ((((cardinality(kinds) >= 1) AND (cardinality(kinds) <= 50)) AND (array_to_string(kinds, ' '::text, ''::text) ~ '^[a-z_]{1,64}( [a-z_]{1,64})*$'::text)))
gate.api_key api_key_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200)))
gate.api_key api_key_networks_form CHECK ((((cardinality(networks) >= 1) AND (cardinality(networks) <= 20)) AND gate_private.are_networks(networks)))
gate.api_key api_key_pkey PRIMARY KEY (account_id, key_id)
gate.api_key api_key_powers_known CHECK ((((cardinality(powers) > 0) AND (array_to_string(powers, ' '::text, ''::text) ~ '^(read|propose|confirm|execute|admin:[a-z]+\.[a-z]+)( (read|propose|confirm|execute|admin:[a-z]+\.[a-z]+))*$'::text)) OR ((powers = ARRAY['runner'::text]) AND (cardinality(actors) = 1)) OR ((powers = ARRAY['directory'::text]) AND (actors IS NULL) AND (grant_id IS NULL))))
gate.api_key api_key_rotated_from_fkey FOREIGN KEY (account_id, rotated_from) REFERENCES gate.api_key(account_id, key_id)
gate.app_grant app_grant_host_length CHECK (((length(host) >= 1) AND (length(host) <= 260)))
gate.app_grant app_grant_id_form CHECK ((grant_id ~ '^app_[0-9A-Za-z]{16}$'::text))
gate.app_grant app_grant_member_fkey FOREIGN KEY (account_id, member_id) REFERENCES gate.member(account_id, member_id)
gate.app_grant app_grant_name_length CHECK (((length(name) >= 1) AND (length(name) <= 100)))
gate.app_grant app_grant_pkey PRIMARY KEY (account_id, grant_id)
gate.approval approval_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.approval approval_for_fkey FOREIGN KEY (account_id, for_member) REFERENCES gate.member(account_id, member_id)
gate.approval approval_member_fkey FOREIGN KEY (account_id, member_id) REFERENCES gate.member(account_id, member_id)
gate.approval approval_pkey PRIMARY KEY (account_id, action_id, n)
gate.call_change call_change_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.call_change call_change_pkey PRIMARY KEY (account_id, action_id, step, n)
gate.claim claim_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.claim claim_held_by_someone CHECK ((num_nulls(claimed_at, lease_expires_at, claimed_key, token) =
CASE
    WHEN (state = 'unclaimed'::text) THEN 4
    ELSE 0
END))
gate.claim claim_outcome_known CHECK ((outcome = ANY (ARRAY['done'::text, 'refused'::text, 'failed'::text, 'unknown'::text])))
gate.claim claim_pkey PRIMARY KEY (account_id, action_id)
gate.claim claim_reported_whole CHECK ((num_nulls(outcome, report, reported_at, reported_key) =
CASE
    WHEN (state = 'reported'::text) THEN 0
    ELSE 4
END))
gate.claim claim_state_known CHECK ((state = ANY (ARRAY['held'::text, 'reported'::text, 'lapsed'::text, 'unclaimed'::text])))
gate.company_identity company_identity_admin_fkey FOREIGN KEY (account_id, admin_id) REFERENCES gate.admin(account_id, admin_id)
gate.company_identity company_identity_id_form CHECK ((identity_id ~ '^idn_[0-9A-Za-z]{16}$'::text))
gate.company_identity company_identity_member_fkey FOREIGN KEY (account_id, member_id) REFERENCES gate.member(account_id, member_id)
gate.company_identity company_identity_pkey PRIMARY KEY (account_id, identity_id)
gate.company_identity company_identity_sizes CHECK ((((length(issuer) >= 8) AND (length(issuer) <= 2048)) AND ((length(subject) >= 1) AND (length(subject) <= 255))))
gate.company_sign_in company_sign_in_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.company_sign_in company_sign_in_claim_size CHECK (((length(directory_claim) >= 1) AND (length(directory_claim) <= 256)))
gate.company_sign_in company_sign_in_pkey PRIMARY KEY (account_id)
gate.company_sign_in company_sign_in_sizes CHECK ((((length(issuer) >= 8) AND (length(issuer) <= 2048)) AND ((length(client_id) >= 1) AND (length(client_id) <= 256)) AND ((length(roles_claim) >= 1) AND (length(roles_claim) <= 256)) AND (length((roles)::text) <= 8192) AND ((cardinality(acr) >= 1) AND (cardinality(acr) <= 10))))
gate.consent_request consent_request_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.consent_request consent_request_outside_mandate_size CHECK ((length(outside_mandate) <= 1000))
gate.consent_request consent_request_pkey PRIMARY KEY (account_id, action_id, n)
gate.consent_request consent_request_required_known CHECK ((required = ANY (ARRAY['chat'::text, 'page'::text, 'passkey'::text])))
gate.consent_request consent_request_state_known CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'sent'::text, 'unknown'::text, 'failed'::text, 'withdrawn'::text])))
gate.consent_request consent_request_token_until_sent CHECK (((token IS NOT NULL) = (state = ANY (ARRAY['pending'::text, 'sending'::text]))))
gate.consent_request consent_request_via_known CHECK ((via = ANY (ARRAY['slack'::text, 'teams'::text, 'email'::text])))
gate.conversation conversation_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.conversation conversation_id_form CHECK ((conversation_id ~ '^[A-Za-z0-9_-]{1,64}$'::text))
gate.conversation conversation_pkey PRIMARY KEY (account_id, conversation_id)
gate.conversation conversation_title_length CHECK (((length(title) >= 1) AND (length(title) <= 200)))
gate.curriculum curriculum_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.curriculum curriculum_grants_known CHECK ((grants = ANY (ARRAY['read_only'::text, 'guarded_write'::text, 'write'::text])))
gate.curriculum curriculum_module_titles_whole CHECK (((cardinality(module_titles) = modules) AND (array_position(module_titles, NULL::text) IS NULL)))
gate.curriculum curriculum_modules_range CHECK (((modules >= 1) AND (modules <= 100)))
gate.curriculum curriculum_pkey PRIMARY KEY (account_id, slug)
gate.curriculum curriculum_valid_days_range CHECK (((valid_days >= 1) AND (valid_days <= 3650)))
gate.delegation delegation_end_whole CHECK (((ended_at IS NULL) = (ended_by IS NULL)))
gate.delegation delegation_from_fkey FOREIGN KEY (account_id, from_member) REFERENCES gate.member(account_id, member_id)
gate.delegation delegation_of_another CHECK ((from_member <> to_member))
gate.delegation delegation_pkey PRIMARY KEY (account_id, delegation_id)
gate.delegation delegation_reason_size CHECK (((length(reason) >= 1) AND (length(reason) <= 1000)))
gate.delegation delegation_time CHECK (((until > created_at) AND (until <= (created_at + '30 days 00:01:00'::interval))))
gate.delegation delegation_to_fkey FOREIGN KEY (account_id, to_member) REFERENCES gate.member(account_id, member_id)
gate.delivery delivery_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.delivery delivery_pkey PRIMARY KEY (account_id, action_id, channel, slice)
gate.delivery delivery_states_known CHECK ((states <@ ARRAY['pending'::text, 'sending'::text, 'ok'::text, 'failed'::text, 'unknown'::text, 'unreachable'::text]))
gate.directory_user directory_user_member_fkey FOREIGN KEY (account_id, member_id) REFERENCES gate.member(account_id, member_id)
gate.directory_user directory_user_pkey PRIMARY KEY (account_id, member_id)
gate.directory_user directory_user_sizes CHECK ((((length(external_id) >= 1) AND (length(external_id) <= 255)) AND ((length(user_name) >= 1) AND (length(user_name) <= 254))))
gate.endpoint endpoint_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.endpoint endpoint_off CHECK (((off_reason = ANY (ARRAY['admin'::text, 'gone'::text, 'failing'::text])) AND ((off_reason IS NULL) = (off_at IS NULL))))
gate.endpoint endpoint_pkey PRIMARY KEY (account_id, endpoint_id)
gate.endpoint endpoint_sizes CHECK (((length(url) <= 2000) AND (length(description) <= 200) AND ((cardinality(types) >= 1) AND (cardinality(types) <= 100)) AND (length(public_key) = 32)))
gate.endpoint_secret endpoint_secret_endpoint_fkey FOREIGN KEY (account_id, endpoint_id) REFERENCES gate.endpoint(account_id, endpoint_id)
gate.endpoint_secret endpoint_secret_pkey PRIMARY KEY (account_id, endpoint_id, secret_id)
gate.event_attempt event_attempt_event_fkey FOREIGN KEY (account_id, endpoint_id, event_id) REFERENCES gate.event_delivery(account_id, endpoint_id, event_id) ON DELETE CASCADE
gate.event_attempt event_attempt_pkey PRIMARY KEY (account_id, endpoint_id, event_id, n)
gate.event_attempt event_attempt_sizes CHECK (((length(answer) <= 1000) AND (length(code) <= 100)))
gate.event_delivery event_delivery_pkey PRIMARY KEY (account_id, endpoint_id, event_id)
gate.event_delivery event_delivery_state CHECK (((state = ANY (ARRAY['waiting'::text, 'delivered'::text, 'given_up'::text])) AND ((state = 'waiting'::text) = (ended_at IS NULL))))
gate.executor_call executor_call_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.executor_call executor_call_pkey PRIMARY KEY (account_id, action_id, step)
gate.executor_call executor_call_state_known CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'accepted'::text, 'asking'::text, 'ok'::text, 'not_done'::text, 'unknown'::text])))
gate.executor_result executor_result_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.executor_result executor_result_pkey PRIMARY KEY (account_id, action_id)
gate.glass_break glass_break_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.glass_break glass_break_member_fkey FOREIGN KEY (account_id, member_id) REFERENCES gate.member(account_id, member_id)
gate.glass_break glass_break_note_size CHECK (((length(note) >= 1) AND (length(note) <= 1000)))
gate.glass_break glass_break_pkey PRIMARY KEY (account_id, action_id)
gate.glass_break glass_break_reason_size CHECK (((length(reason) >= 20) AND (length(reason) <= 1000)))
gate.glass_break glass_break_review_whole CHECK ((((reviewed_at IS NULL) = (reviewed_by IS NULL)) AND ((reviewed_at IS NULL) = (is_justified IS NULL))))
gate.group_membership group_membership_group_fkey FOREIGN KEY (account_id, group_id) REFERENCES gate.member_group(account_id, group_id)
gate.group_membership group_membership_member_fkey FOREIGN KEY (account_id, member_id) REFERENCES gate.member(account_id, member_id)
gate.group_membership group_membership_pkey PRIMARY KEY (account_id, group_id, member_id)
gate.idempotency idempotency_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.idempotency idempotency_pkey PRIMARY KEY (account_id, operation, key)
gate.identity_change identity_change_confirmed_a_change CHECK (((confirmed_at IS NULL) OR (changed_at IS NOT NULL)))
gate.identity_change identity_change_confirmed_whole CHECK (((confirmed_at IS NULL) = (confirmed_by IS NULL)))
gate.identity_change identity_change_member_fkey FOREIGN KEY (account_id, member_id) REFERENCES gate.member(account_id, member_id)
gate.identity_change identity_change_pkey PRIMARY KEY (account_id, member_id, via)
gate.identity_change identity_change_via_known CHECK ((via = ANY (ARRAY['email'::text, 'slack'::text, 'teams'::text])))
gate.identity_notice identity_notice_identity_known CHECK ((identity = ANY (ARRAY['email'::text, 'slack'::text, 'teams'::text, 'passkey'::text, 'company'::text])))
gate.identity_notice identity_notice_member_fkey FOREIGN KEY (account_id, member_id) REFERENCES gate.member(account_id, member_id)
gate.identity_notice identity_notice_pkey PRIMARY KEY (account_id, notice_id)
gate.identity_notice identity_notice_via_known CHECK ((via = ANY (ARRAY['email'::text, 'slack'::text, 'teams'::text])))
gate.integration integration_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.integration integration_action_key UNIQUE (account_id, action_id)
gate.integration integration_admin_fkey FOREIGN KEY (account_id, admin_id) REFERENCES gate.admin(account_id, admin_id)
gate.integration integration_id_form CHECK ((integration_id ~ '^int_[0-9A-Za-z]{16}$'::text))
gate.integration integration_member_fkey FOREIGN KEY (account_id, member_id) REFERENCES gate.member(account_id, member_id)
gate.integration integration_of_one CHECK ((((action_id IS NULL) = (member_id IS NULL)) AND ((action_id IS NULL) <> (admin_id IS NULL))))
gate.integration integration_pkey PRIMARY KEY (account_id, integration_id)
gate.integration integration_provider_known CHECK ((provider = ANY (ARRAY['slack'::text, 'resend'::text, 'smtp'::text, 'teams'::text, 'teams_bot'::text, 'stripe'::text])))
gate.integration integration_state_known CHECK ((state = ANY (ARRAY['pending'::text, 'connected'::text, 'disconnected'::text])))
gate.integration_secret integration_secret_integration_fkey FOREIGN KEY (account_id, integration_id) REFERENCES gate.integration(account_id, integration_id)
gate.integration_secret integration_secret_pkey PRIMARY KEY (account_id, integration_id, field)
gate.kind kind_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.kind kind_name_form CHECK ((kind ~ '^[a-z][a-z0-9_]{2,39}$'::text))
gate.kind kind_pkey PRIMARY KEY (account_id, kind, version)
gate.kind kind_version_positive CHECK ((version > 0))
gate.kind_secret kind_secret_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.kind_secret kind_secret_pkey PRIMARY KEY (account_id, kind, secret_id)
gate.ledger ledger_entry_length CHECK ((length(entry) <= 20000))
gate.ledger ledger_event_key UNIQUE (account_id, event_id)
gate.ledger ledger_pkey PRIMARY KEY (account_id, seq)
gate.ledger_archive ledger_archive_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.ledger_archive ledger_archive_order CHECK (((first_seq >= 1) AND (first_seq <= last_seq)))
gate.ledger_archive ledger_archive_pkey PRIMARY KEY (account_id, first_seq)
gate.ledger_head ledger_head_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.ledger_head ledger_head_pkey PRIMARY KEY (account_id)
gate.ledger_seal ledger_seal_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.ledger_seal ledger_seal_form CHECK (((size > 0) AND (length(hash) = 32) AND (length(root) = 32) AND (length(salt) = 32)))
gate.ledger_seal ledger_seal_pkey PRIMARY KEY (account_id, size)
gate.ledger_tile ledger_tile_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.ledger_tile ledger_tile_form CHECK ((((level >= 0) AND (level <= 7)) AND (n >= 0) AND (length(root) = 32) AND (length(hashes) = 8192) AND (length(nodes) = 960)))
gate.ledger_tile ledger_tile_pkey PRIMARY KEY (account_id, level, n)
gate.mandate mandate_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.mandate mandate_ended_whole CHECK (((ended_at IS NULL) = (ended_by IS NULL)))
gate.mandate mandate_frozen_whole CHECK (((frozen_at IS NULL) = (frozen_by IS NULL)))
gate.mandate mandate_granted_expires CHECK (((granted_at IS NULL) = (expires_at IS NULL)))
gate.mandate mandate_pkey PRIMARY KEY (account_id, action_id)
gate.mandate mandate_used_was_granted CHECK (((uses = 0) OR (granted_at IS NOT NULL)))
gate.mandate_debit mandate_debit_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.mandate_debit mandate_debit_action_key UNIQUE (account_id, action_id)
gate.mandate_debit mandate_debit_amount_whole CHECK (((cents IS NULL) = (currency IS NULL)))
gate.mandate_debit mandate_debit_cents_range CHECK ((cents >= 0))
gate.mandate_debit mandate_debit_mandate_fkey FOREIGN KEY (account_id, mandate_id) REFERENCES gate.mandate(account_id, action_id)
gate.mandate_debit mandate_debit_pkey PRIMARY KEY (account_id, mandate_id, n)
gate.member member_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.member member_admin_tier_known CHECK ((admin_tier = ANY (ARRAY['read_only'::text, 'guarded_write'::text, 'write'::text])))
gate.member member_email_length CHECK (((length(email) >= 3) AND (length(email) <= 254)))
gate.member member_erased_whole CHECK (((erased_at IS NULL) OR ((name = 'erased'::text) AND (email IS NULL) AND (slack IS NULL) AND (teams IS NULL) AND (NOT is_active))))
gate.member member_name_length CHECK (((length(name) >= 1) AND (length(name) <= 200)))
gate.member member_pkey PRIMARY KEY (account_id, member_id)
gate.member member_slack_form CHECK ((slack ~ '^[UW][0-9A-Z]{1,63}$'::text))
gate.member member_teams_form CHECK ((teams ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'::text))
gate.member_group member_group_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.member_group member_group_external_size CHECK (((length(external_id) >= 1) AND (length(external_id) <= 255)))
gate.member_group member_group_name_size CHECK (((length(name) >= 1) AND (length(name) <= 200)))
gate.member_group member_group_pkey PRIMARY KEY (account_id, group_id)
gate.participant participant_conversation_fkey FOREIGN KEY (account_id, conversation_id) REFERENCES gate.conversation(account_id, conversation_id)
gate.participant participant_member_fkey FOREIGN KEY (account_id, member_id) REFERENCES gate.member(account_id, member_id)
gate.participant participant_pkey PRIMARY KEY (account_id, conversation_id, member_id)
gate.pass pass_curriculum_fkey FOREIGN KEY (account_id, curriculum) REFERENCES gate.curriculum(account_id, slug)
gate.pass pass_member_fkey FOREIGN KEY (account_id, member_id) REFERENCES gate.member(account_id, member_id)
gate.pass pass_pkey PRIMARY KEY (account_id, member_id, curriculum, module)
gate.passkey passkey_credential_key UNIQUE (account_id, credential)
gate.passkey passkey_member_fkey FOREIGN KEY (account_id, member_id) REFERENCES gate.member(account_id, member_id)
gate.passkey passkey_pkey PRIMARY KEY (account_id, passkey_id)
gate.passkey passkey_removed_whole CHECK (((removed_at IS NULL) = (removed_by IS NULL)))
gate.passkey passkey_sizes CHECK ((((length(name) >= 1) AND (length(name) <= 60)) AND ((length(credential) >= 1) AND (length(credential) <= 1023)) AND (length(public_key) <= 1024) AND (cardinality(transports) <= 10)))
gate.policy policy_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.policy policy_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.policy policy_note_form CHECK ((((length(note) >= 1) AND (length(note) <= 300)) AND (note !~ '[[:cntrl:]]'::text)))
gate.policy policy_note_salted CHECK (((note IS NULL) = (note_salt IS NULL)))
gate.policy policy_pkey PRIMARY KEY (account_id, version)
gate.preview preview_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.preview preview_action_key UNIQUE (account_id, action_id)
gate.preview preview_conversation_fkey FOREIGN KEY (account_id, conversation_id) REFERENCES gate.conversation(account_id, conversation_id)
gate.preview preview_ended_has_no_link CHECK (((ended_at IS NULL) OR (link_secret IS NULL)))
gate.preview preview_ended_is_dated CHECK (((state = ANY (ARRAY['stopped'::text, 'failed'::text, 'expired'::text])) = (ended_at IS NOT NULL)))
gate.preview preview_failed_has_error CHECK (((state <> 'failed'::text) OR (error IS NOT NULL)))
gate.preview preview_id_form CHECK ((preview_id ~ '^prev_[0-9a-z]{20}$'::text))
gate.preview preview_log_length CHECK ((length(log_tail) <= 65536))
gate.preview preview_mode_known CHECK ((mode = ANY (ARRAY['static'::text, 'command'::text])))
gate.preview preview_pkey PRIMARY KEY (account_id, preview_id)
gate.preview preview_state_known CHECK ((state = ANY (ARRAY['starting'::text, 'running'::text, 'stopping'::text, 'stopped'::text, 'failed'::text, 'expired'::text])))
gate.provider_call provider_call_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.provider_call provider_call_key_key UNIQUE (key)
gate.provider_call provider_call_pkey PRIMARY KEY (account_id, action_id, step)
gate.provider_call provider_call_state_known CHECK ((state = ANY (ARRAY['pending'::text, 'sending'::text, 'ok'::text, 'not_done'::text, 'unknown'::text])))
gate.push_device push_device_endpoint_key UNIQUE (account_id, endpoint)
gate.push_device push_device_member_fkey FOREIGN KEY (account_id, member_id) REFERENCES gate.member(account_id, member_id)
gate.push_device push_device_pkey PRIMARY KEY (account_id, device_id)
gate.push_device push_device_sizes CHECK (((length(endpoint) <= 1024) AND (length(public_key) = 65) AND (length(auth) = 16) AND (length(browser) <= 512)))
gate.recipient_set recipient_set_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.recipient_set recipient_set_forgotten_is_empty CHECK (((forgotten_at IS NULL) OR (cardinality(members) = 0)))
gate.recipient_set recipient_set_parallel CHECK (((cardinality(members) = cardinality(channels)) AND (cardinality(members) = cardinality(addresses))))
gate.recipient_set recipient_set_pkey PRIMARY KEY (account_id, sha256)
gate.tool_call tool_call_decision_known CHECK ((decision = ANY (ARRAY['allow'::text, 'deny'::text, 'consent'::text])))
gate.tool_call tool_call_outcome_known CHECK ((outcome = ANY (ARRAY['ran'::text, 'failed'::text])))
gate.tool_call tool_call_pkey PRIMARY KEY (account_id, n)
gate.tool_call tool_call_tool_length CHECK (((length(tool) >= 1) AND (length(tool) <= 255)))
gate.tool_consent tool_consent_action_fkey FOREIGN KEY (account_id, action_id) REFERENCES gate.action(account_id, id)
gate.tool_consent tool_consent_granted_expires CHECK (((granted_at IS NULL) = (expires_at IS NULL)))
gate.tool_consent tool_consent_pkey PRIMARY KEY (account_id, action_id)
gate.tool_consent tool_consent_spent_was_granted CHECK (((spent_at IS NULL) OR (granted_at IS NOT NULL)))
gate.tool_count tool_count_pkey PRIMARY KEY (account_id, hour, member_id, key_id, tool)
gate.upstream upstream_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.upstream upstream_name_form CHECK ((upstream ~ '^[a-z][a-z0-9-]{0,19}$'::text))
gate.upstream upstream_pkey PRIMARY KEY (account_id, upstream)
gate.upstream upstream_texts_length CHECK (((length(url) <= 2048) AND (length(command) <= 64) AND (length(failure) <= 500)))
gate.upstream upstream_transport_whole CHECK ((((transport = 'http'::text) AND (url IS NOT NULL) AND (command IS NULL)) OR ((transport = 'stdio'::text) AND (command IS NOT NULL) AND (url IS NULL) AND (headers = '{}'::text[]))))
gate.upstream_secret upstream_secret_pkey PRIMARY KEY (account_id, upstream)
gate.upstream_secret upstream_secret_upstream_fkey FOREIGN KEY (account_id, upstream) REFERENCES gate.upstream(account_id, upstream) ON DELETE CASCADE
gate.upstream_tool upstream_tool_changed_quarantined CHECK (((reviewed_hash IS NULL) OR (reviewed_hash = hash) OR (quarantined_at IS NOT NULL)))
gate.upstream_tool upstream_tool_hash_matches CHECK ((hash = encode(sha256(convert_to(definition, 'UTF8'::name)), 'hex'::text)))
gate.upstream_tool upstream_tool_name_form CHECK (((tool ~ '^[A-Za-z0-9_-]{1,61}$'::text) AND (((length(upstream) + 2) + length(tool)) <= 64)))
gate.upstream_tool upstream_tool_pkey PRIMARY KEY (account_id, upstream, tool)
gate.upstream_tool upstream_tool_review_whole CHECK ((((reviewed_hash IS NULL) = (reviewed_definition IS NULL)) AND ((reviewed_hash IS NULL) = (reviewed_at IS NULL)) AND ((reviewed_hash IS NULL) = (reviewed_by IS NULL)) AND ((quarantined_at IS NULL) OR (reviewed_hash IS NOT NULL))))
gate.upstream_tool upstream_tool_reviewed_matches CHECK ((reviewed_hash = encode(sha256(convert_to(reviewed_definition, 'UTF8'::name)), 'hex'::text)))
gate.upstream_tool upstream_tool_upstream_fkey FOREIGN KEY (account_id, upstream) REFERENCES gate.upstream(account_id, upstream) ON DELETE CASCADE
gate.viewer viewer_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate.viewer viewer_pkey PRIMARY KEY (account_id, person_id)
gate.viewer viewer_time_zone_length CHECK (((length(time_zone) >= 1) AND (length(time_zone) <= 64)))
gate_private.account_directory account_directory_id_form CHECK ((account_id ~ '^acct_[0-9A-Za-z]{16}$'::text))
gate_private.account_directory account_directory_key_limits_known CHECK ((key_limits = ANY (ARRAY['per_process'::text, 'shared'::text])))
gate_private.account_directory account_directory_pkey PRIMARY KEY (account_id)
gate_private.api_key_hash api_key_hash_key_fkey FOREIGN KEY (account_id, key_id) REFERENCES gate.api_key(account_id, key_id)
gate_private.api_key_hash api_key_hash_pkey PRIMARY KEY (hash)
gate_private.app_client app_client_account_fkey FOREIGN KEY (account_id) REFERENCES gate_private.account_directory(account_id)
gate_private.app_client app_client_fixed_whole CHECK (((account_id IS NULL) = (secret IS NULL)))
gate_private.app_client app_client_name_length CHECK (((length(name) >= 1) AND (length(name) <= 100)))
gate_private.app_client app_client_pkey PRIMARY KEY (client_id)
gate_private.app_client app_client_redirects_length CHECK (((cardinality(redirects) >= 1) AND (cardinality(redirects) <= 10)))
gate_private.app_code app_code_grant_fkey FOREIGN KEY (account_id, grant_id) REFERENCES gate.app_grant(account_id, grant_id)
gate_private.app_code app_code_pkey PRIMARY KEY (code)
gate_private.app_refresh app_refresh_grant_fkey FOREIGN KEY (account_id, grant_id) REFERENCES gate.app_grant(account_id, grant_id)
gate_private.app_refresh app_refresh_pkey PRIMARY KEY (token)
gate_private.company_state company_state_pkey PRIMARY KEY (state)
gate_private.connect_draft connect_draft_id_form CHECK ((integration_id ~ '^int_[0-9A-Za-z]{16}$'::text))
gate_private.connect_draft connect_draft_link_fkey FOREIGN KEY (token) REFERENCES gate_private.connect_link(token) ON DELETE CASCADE
gate_private.connect_draft connect_draft_pkey PRIMARY KEY (token)
gate_private.connect_link connect_link_of_one CHECK (((action_id IS NULL) <> (admin_id IS NULL)))
gate_private.connect_link connect_link_pkey PRIMARY KEY (token)
gate_private.connect_link connect_link_state_key UNIQUE (state)
gate_private.consent_token consent_token_pkey PRIMARY KEY (token)
gate_private.epoch_cosignature epoch_cosignature_epoch_fkey FOREIGN KEY (size) REFERENCES gate_private.epoch_seal(size)
gate_private.epoch_cosignature epoch_cosignature_pkey PRIMARY KEY (size, name)
gate_private.epoch_leaf epoch_leaf_form CHECK (((n >= 0) AND (length(hash) = 32)))
gate_private.epoch_leaf epoch_leaf_pkey PRIMARY KEY (n)
gate_private.epoch_leaf epoch_leaf_size_key UNIQUE (account_id, size)
gate_private.epoch_seal epoch_seal_form CHECK (((size > 0) AND (length(root) = 32)))
gate_private.epoch_seal epoch_seal_pkey PRIMARY KEY (size)
gate_private.epoch_tile epoch_tile_form CHECK ((((level >= 0) AND (level <= 7)) AND (n >= 0) AND (length(root) = 32) AND (length(hashes) = 8192) AND (length(nodes) = 960)))
gate_private.epoch_tile epoch_tile_pkey PRIMARY KEY (level, n)
gate_private.event_account event_account_account_fkey FOREIGN KEY (account_id) REFERENCES gate.account(account_id)
gate_private.event_account event_account_pkey PRIMARY KEY (account_id)
gate_private.failing_notice failing_notice_pkey PRIMARY KEY (account_id, target)
gate_private.identity_notice_due identity_notice_due_pkey PRIMARY KEY (notice_id)
gate_private.key_minute key_minute_key_fkey FOREIGN KEY (account_id, key_id) REFERENCES gate.api_key(account_id, key_id)
gate_private.key_minute key_minute_pkey PRIMARY KEY (account_id, key_id)
gate_private.key_minute key_minute_taken_range CHECK ((taken >= 0))
gate_private.ledger_log ledger_log_pkey PRIMARY KEY (log_id)
gate_private.mailbox mailbox_pkey PRIMARY KEY (account_id, holder)
gate_private.mandate_end_due mandate_end_due_pkey PRIMARY KEY (account_id, mandate_id)
gate_private.member_notice_due member_notice_due_about_known CHECK ((about = ANY (ARRAY['delegation_start'::text, 'delegation_end'::text, 'glass_break'::text])))
gate_private.member_notice_due member_notice_due_pkey PRIMARY KEY (account_id, about, subject, member_id)
gate_private.message_update message_update_pkey PRIMARY KEY (account_id, action_id, n)
gate_private.migration migration_pkey PRIMARY KEY (name)
gate_private.open_action open_action_pkey PRIMARY KEY (uuid)
gate_private.open_action open_action_wake_known CHECK ((wake = ANY (ARRAY['start'::text, 'ask'::text, 'confirm'::text, 'cancel'::text, 'wake'::text])))
gate_private.open_preview open_preview_pkey PRIMARY KEY (preview_id)
gate_private.passkey_nonce passkey_nonce_of_somebody CHECK ((((purpose = 'sign_in'::text) = (account_id IS NULL)) AND ((account_id IS NULL) = (member_id IS NULL)) AND ((purpose = 'decide'::text) = (action_id IS NOT NULL))))
gate_private.passkey_nonce passkey_nonce_pkey PRIMARY KEY (nonce)
gate_private.passkey_nonce passkey_nonce_purpose_known CHECK ((purpose = ANY (ARRAY['add'::text, 'decide'::text, 'sign_in'::text])))
gate_private.preview_host preview_host_id_form CHECK ((host_id ~ '^host_[0-9A-Za-z]{16}$'::text))
gate_private.preview_host preview_host_pkey PRIMARY KEY (host_id)
gate_private.push_key push_key_one CHECK (is_only)
gate_private.push_key push_key_pkey PRIMARY KEY (is_only)
gate_private.push_key push_key_public_length CHECK ((length(public_key) = 65))
gate_private.receipt_key receipt_key_kid_form CHECK ((kid ~ '^[A-Za-z0-9_-]{43}$'::text))
gate_private.receipt_key receipt_key_pkey PRIMARY KEY (kid)
gate_private.receipt_key receipt_key_public_length CHECK ((length(public_key) = 32))
gate_private.receipt_key receipt_key_signs_from_key UNIQUE (signs_from)
gate_private.runner_nonce runner_nonce_key_fkey FOREIGN KEY (account_id, key_id) REFERENCES gate.api_key(account_id, key_id)
gate_private.runner_nonce runner_nonce_pkey PRIMARY KEY (account_id, key_id, nonce)
gate_private.runner_signing runner_signing_key_fkey FOREIGN KEY (account_id, key_id) REFERENCES gate.api_key(account_id, key_id)
gate_private.runner_signing runner_signing_name_key UNIQUE (name)
gate_private.runner_signing runner_signing_pkey PRIMARY KEY (account_id, key_id)
gate_private.runner_signing runner_signing_wrapped CHECK (((wrapped_key IS NULL) = (kid IS NULL)))
gate_private.seal_fault seal_fault_pkey PRIMARY KEY (account_id)
gate_private.sent_form sent_form_path_length CHECK ((length(path) <= 1000))
gate_private.sent_form sent_form_pkey PRIMARY KEY (form)
gate_private.session session_id_key UNIQUE (session_id)
gate_private.session session_of_somebody CHECK (((admin_id IS NOT NULL) OR (member_id IS NOT NULL)))
gate_private.session session_pkey PRIMARY KEY (token)
gate_private.session session_texts_length CHECK (((length(browser) <= 512) AND (length(address) <= 64) AND (length(seen_address) <= 64)))
gate_private.sign_in_asker sign_in_asker_pkey PRIMARY KEY (mailbox, asker)
gate_private.sign_in_link sign_in_link_for_somebody CHECK (((admin_id IS NOT NULL) OR (member_id IS NOT NULL)))
gate_private.sign_in_link sign_in_link_pkey PRIMARY KEY (token)
gate_private.teams_bot teams_bot_account_key UNIQUE (account_id)
gate_private.teams_bot teams_bot_pkey PRIMARY KEY (app_id, account_id)
gate_private.unsealed_account unsealed_account_pkey PRIMARY KEY (account_id)
gate_private.upstream_due upstream_due_pkey PRIMARY KEY (account_id, upstream)
gate_private.upstream_due upstream_due_upstream_fkey FOREIGN KEY (account_id, upstream) REFERENCES gate.upstream(account_id, upstream) ON DELETE CASCADE

-- indexes, beside those of the constraints
CREATE INDEX action_by_kind ON gate.action USING btree (account_id, kind, status, id)
CREATE INDEX action_by_member ON gate.action USING btree (account_id, member_id, id)
CREATE INDEX action_by_member_and_kind ON gate.action USING btree (account_id, member_id, kind, status, id)
CREATE INDEX action_by_status ON gate.action USING btree (account_id, status, id)
CREATE INDEX action_by_time ON gate.action USING btree (account_id, created_at, id)
CREATE INDEX action_confirmed_by_customer ON gate.action USING btree (account_id, kind, customer, decided_at) WHERE ((decision = 'confirm'::text) AND (customer IS NOT NULL))
CREATE INDEX action_confirmed_by_decided_key ON gate.action USING btree (account_id, decided_key, decided_at) WHERE ((decision = 'confirm'::text) AND (decided_key IS NOT NULL))
CREATE INDEX action_confirmed_by_kind ON gate.action USING btree (account_id, kind, decided_at) WHERE (decision = 'confirm'::text)
CREATE INDEX action_confirmed_by_member ON gate.action USING btree (account_id, member_id, kind, decided_at) WHERE (decision = 'confirm'::text)
CREATE INDEX action_confirmed_by_proposed_key ON gate.action USING btree (account_id, proposed_key, decided_at) WHERE ((decision = 'confirm'::text) AND (proposed_key IS NOT NULL))
CREATE INDEX action_confirmed_by_subject ON gate.action USING btree (account_id, kind, subject, decided_at) WHERE ((decision = 'confirm'::text) AND (subject IS NOT NULL))
CREATE INDEX action_decided ON gate.action USING btree (account_id, decided_at) WHERE (decision = ANY (ARRAY['confirm'::text, 'cancel'::text]))
CREATE INDEX action_decided_by_member ON gate.action USING btree (account_id, member_id, decided_at) WHERE (decision IS NOT NULL)
CREATE INDEX action_expired ON gate.action USING btree (account_id, id) WHERE (closed_reason = 'expired'::text)
CREATE INDEX action_open_by_member ON gate.action USING btree (account_id, member_id) WHERE ((status = 'proposed'::text) AND (decision IS NULL))
CREATE INDEX action_outcomes ON gate.action USING btree (account_id, created_at) INCLUDE (status, closed_reason, denial_code) WHERE (requires_confirmation OR (status = 'denied'::text))
CREATE INDEX action_refused ON gate.action USING btree (account_id, decided_at) WHERE (decision = 'deny'::text)
CREATE INDEX action_same ON gate.action USING btree (account_id, member_id, md5((payload)::text), decided_at DESC) WHERE (requires_confirmation AND (status = ANY (ARRAY['proposed'::text, 'executed'::text])))
CREATE INDEX api_key_by_grant ON gate.api_key USING btree (account_id, grant_id) WHERE (grant_id IS NOT NULL)
CREATE INDEX api_key_hash_by_key ON gate_private.api_key_hash USING btree (account_id, key_id)
CREATE INDEX app_client_unused ON gate_private.app_client USING btree (created_at) WHERE ((connected_at IS NULL) AND (account_id IS NULL))
CREATE INDEX app_code_by_expiry ON gate_private.app_code USING btree (expires_at)
CREATE INDEX app_grant_by_member ON gate.app_grant USING btree (account_id, member_id) WHERE (ended_at IS NULL)
CREATE INDEX app_refresh_by_grant ON gate_private.app_refresh USING btree (account_id, grant_id)
CREATE INDEX company_state_by_time ON gate_private.company_state USING btree (used_at)
CREATE INDEX connect_link_expiring ON gate_private.connect_link USING btree (expires_at)
CREATE INDEX connect_link_of_admin ON gate_private.connect_link USING btree (account_id, admin_id, provider) WHERE (admin_id IS NOT NULL)
CREATE INDEX consent_request_by_member ON gate.consent_request USING btree (account_id, member_id, created_at)
CREATE INDEX consent_request_by_time ON gate.consent_request USING btree (account_id, created_at)
CREATE INDEX consent_token_by_message ON gate_private.consent_token USING btree (slack_message) WHERE (slack_message IS NOT NULL)
CREATE INDEX consent_token_expiring ON gate_private.consent_token USING btree (expires_at)
CREATE INDEX delegation_by_approver ON gate.delegation USING btree (account_id, from_member) WHERE (ended_at IS NULL)
CREATE INDEX delegation_by_deputy ON gate.delegation USING btree (account_id, to_member) WHERE (ended_at IS NULL)
CREATE INDEX event_account_due ON gate_private.event_account USING btree (due_at)
CREATE INDEX event_delivery_ended ON gate.event_delivery USING btree (account_id, ended_at) WHERE (ended_at IS NOT NULL)
CREATE INDEX event_delivery_of_action ON gate.event_delivery USING btree (account_id, action_id, endpoint_id, seq) WHERE (action_id IS NOT NULL)
CREATE INDEX event_delivery_waiting ON gate.event_delivery USING btree (account_id, endpoint_id, due_at) WHERE (state = 'waiting'::text)
CREATE INDEX glass_break_unreviewed ON gate.glass_break USING btree (account_id, at) WHERE (reviewed_at IS NULL)
CREATE INDEX group_membership_by_member ON gate.group_membership USING btree (account_id, member_id)
CREATE INDEX idempotency_by_age ON gate.idempotency USING btree (account_id, created_at)
CREATE INDEX identity_notice_due_by_time ON gate_private.identity_notice_due USING btree (due_at)
CREATE INDEX ledger_by_action ON gate.ledger USING btree (account_id, action_id, seq) WHERE ((action_id IS NOT NULL) AND (kind <> 'checked'::text))
CREATE INDEX ledger_by_actor ON gate.ledger USING btree (account_id, kind, actor, seq) WHERE (kind <> 'checked'::text)
CREATE INDEX ledger_by_kind ON gate.ledger USING btree (account_id, kind, seq) WHERE (kind <> 'checked'::text)
CREATE INDEX ledger_policies ON gate.ledger USING btree (account_id, seq) WHERE (kind = 'policy_set'::text)
CREATE INDEX ledger_seal_by_leaf ON gate.ledger_seal USING btree (account_id, epoch_leaf)
CREATE INDEX mailbox_by_hash ON gate_private.mailbox USING btree (hash)
CREATE INDEX mandate_by_expiry ON gate.mandate USING btree (account_id, expires_at) WHERE ((ended_at IS NULL) AND (granted_at IS NOT NULL))
CREATE INDEX mandate_by_member ON gate.mandate USING btree (account_id, member_id, action_id)
CREATE INDEX mandate_by_scope ON gate.mandate USING btree (account_id, scope, action_id)
CREATE INDEX mandate_end_due_by_time ON gate_private.mandate_end_due USING btree (due_at)
CREATE INDEX member_by_name ON gate.member USING btree (account_id, lower(name), member_id)
CREATE INDEX member_notice_due_by_time ON gate_private.member_notice_due USING btree (due_at)
CREATE INDEX message_update_due ON gate_private.message_update USING btree (due_at)
CREATE INDEX open_action_claimed ON gate_private.open_action USING btree (decided_at) WHERE (decided_at IS NOT NULL)
CREATE INDEX open_action_due ON gate_private.open_action USING btree (due_at) WHERE (due_at IS NOT NULL)
CREATE INDEX open_action_expiring ON gate_private.open_action USING btree (expires_at) WHERE (decided_at IS NULL)
CREATE INDEX open_preview_by_host ON gate_private.open_preview USING btree (host_id)
CREATE INDEX passkey_by_member ON gate.passkey USING btree (account_id, member_id)
CREATE INDEX passkey_nonce_expiring ON gate_private.passkey_nonce USING btree (expires_at)
CREATE INDEX preview_by_start ON gate.preview USING btree (account_id, started_at, preview_id)
CREATE INDEX push_device_by_member ON gate.push_device USING btree (account_id, member_id)
CREATE INDEX recipient_set_by_age ON gate.recipient_set USING btree (account_id, kept_at) WHERE (forgotten_at IS NULL)
CREATE INDEX sent_form_by_time ON gate_private.sent_form USING btree (sent_at)
CREATE INDEX session_by_account ON gate_private.session USING btree (account_id, mailbox)
CREATE INDEX session_expiring ON gate_private.session USING btree (expires_at)
CREATE INDEX sign_in_asker_by_time ON gate_private.sign_in_asker USING btree (seen_at)
CREATE INDEX sign_in_link_by_mailbox ON gate_private.sign_in_link USING btree (mailbox)
CREATE INDEX sign_in_link_expiring ON gate_private.sign_in_link USING btree (expires_at)
CREATE INDEX tool_call_by_key ON gate.tool_call USING btree (account_id, key_id, decision, n)
CREATE INDEX tool_call_by_ref ON gate.tool_call USING btree (account_id, ref, n)
CREATE INDEX tool_call_unreported ON gate.tool_call USING btree (account_id, key_id, at, n) WHERE ((decision = 'allow'::text) AND (outcome IS NULL))
CREATE INDEX tool_consent_by_binding ON gate.tool_consent USING btree (account_id, binding, action_id)
CREATE INDEX tool_consent_usable ON gate.tool_consent USING btree (account_id, expires_at) WHERE ((spent_at IS NULL) AND (granted_at IS NOT NULL))
CREATE INDEX tool_count_unnoted ON gate.tool_count USING btree (account_id, hour) WHERE (NOT is_noted)
CREATE INDEX upstream_due_by_time ON gate_private.upstream_due USING btree (due_at)
CREATE UNIQUE INDEX admin_email_key ON gate.admin USING btree (account_id, lower(email)) WHERE (removed_at IS NULL)
CREATE UNIQUE INDEX approval_person_key ON gate.approval USING btree (account_id, action_id, digest, member_id) WHERE (ended_at IS NULL)
CREATE UNIQUE INDEX company_identity_admin ON gate.company_identity USING btree (account_id, issuer, admin_id) WHERE (ended_at IS NULL)
CREATE UNIQUE INDEX company_identity_member ON gate.company_identity USING btree (account_id, issuer, member_id) WHERE (ended_at IS NULL)
CREATE UNIQUE INDEX company_identity_subject ON gate.company_identity USING btree (account_id, issuer, subject) WHERE (ended_at IS NULL)
CREATE UNIQUE INDEX consent_request_reminder_key ON gate.consent_request USING btree (account_id, action_id, member_id) WHERE is_reminder
CREATE UNIQUE INDEX conversation_folder_key ON gate.conversation USING btree (account_id, lower((conversation_id COLLATE "C")))
CREATE UNIQUE INDEX directory_user_external ON gate.directory_user USING btree (account_id, external_id)
CREATE UNIQUE INDEX directory_user_name ON gate.directory_user USING btree (account_id, lower(user_name)) WHERE (left_at IS NULL)
CREATE UNIQUE INDEX endpoint_secret_current_key ON gate.endpoint_secret USING btree (account_id, endpoint_id) WHERE (valid_until IS NULL)
CREATE UNIQUE INDEX event_delivery_n ON gate.event_delivery USING btree (account_id, endpoint_id, n)
CREATE UNIQUE INDEX integration_connected_key ON gate.integration USING btree (account_id, (
CASE
    WHEN (provider = ANY (ARRAY['resend'::text, 'smtp'::text])) THEN 'email'::text
    ELSE provider
END)) WHERE (state = 'connected'::text)
CREATE UNIQUE INDEX kind_secret_current_key ON gate.kind_secret USING btree (account_id, kind) WHERE (valid_until IS NULL)
CREATE UNIQUE INDEX member_email_key ON gate.member USING btree (account_id, lower(email)) WHERE (email IS NOT NULL)
CREATE UNIQUE INDEX member_group_external_key ON gate.member_group USING btree (account_id, external_id)
CREATE UNIQUE INDEX member_group_name_key ON gate.member_group USING btree (account_id, lower(name))
CREATE UNIQUE INDEX member_slack_key ON gate.member USING btree (account_id, slack) WHERE (slack IS NOT NULL)
CREATE UNIQUE INDEX member_teams_key ON gate.member USING btree (account_id, teams) WHERE (teams IS NOT NULL)
CREATE UNIQUE INDEX preview_live_key ON gate.preview USING btree (account_id, conversation_id) WHERE (ended_at IS NULL)

-- policies
gate.account tenant for all to public using (account_id = gate.current_account())
gate.action tenant for all to public using (account_id = gate.current_account())
gate.admin tenant for all to public using (account_id = gate.current_account())
gate.api_key tenant for all to public using (account_id = gate.current_account())
gate.app_grant tenant for all to public using (account_id = gate.current_account())
gate.approval tenant for all to public using (account_id = gate.current_account())
gate.call_change tenant for all to public using (account_id = gate.current_account())
gate.claim tenant for all to public using (account_id = gate.current_account())
gate.company_identity tenant for all to public using (account_id = gate.current_account())
gate.company_sign_in tenant for all to public using (account_id = gate.current_account())
gate.consent_request tenant for all to public using (account_id = gate.current_account())
gate.conversation tenant for all to public using (account_id = gate.current_account())
gate.curriculum tenant for all to public using (account_id = gate.current_account())
gate.delegation tenant for all to public using (account_id = gate.current_account())
gate.delivery tenant for all to public using (account_id = gate.current_account())
gate.directory_user tenant for all to public using (account_id = gate.current_account())
gate.endpoint tenant for all to public using (account_id = gate.current_account())
gate.endpoint_secret tenant for all to public using (account_id = gate.current_account())
gate.event_attempt tenant for all to public using (account_id = gate.current_account())
gate.event_delivery tenant for all to public using (account_id = gate.current_account())
gate.executor_call tenant for all to public using (account_id = gate.current_account())
gate.executor_result tenant for all to public using (account_id = gate.current_account())
gate.glass_break tenant for all to public using (account_id = gate.current_account())
gate.group_membership tenant for all to public using (account_id = gate.current_account())
gate.idempotency tenant for all to public using (account_id = gate.current_account())
gate.identity_change tenant for all to public using (account_id = gate.current_account())
gate.identity_notice tenant for all to public using (account_id = gate.current_account())
gate.integration tenant for all to public using (account_id = gate.current_account())
gate.integration_secret tenant for all to public using (account_id = gate.current_account())
gate.kind tenant for all to public using (account_id = gate.current_account())
gate.kind_secret tenant for all to public using (account_id = gate.current_account())
gate.ledger tenant for all to public using (account_id = gate.current_account())
gate.ledger_archive tenant for all to public using (account_id = gate.current_account())
gate.ledger_head tenant for all to public using (account_id = gate.current_account())
gate.ledger_seal tenant for all to public using (account_id = gate.current_account())
gate.ledger_tile tenant for all to public using (account_id = gate.current_account())
gate.mandate tenant for all to public using (account_id = gate.current_account())
gate.mandate_debit tenant for all to public using (account_id = gate.current_account())
gate.member tenant for all to public using (account_id = gate.current_account())
gate.member_group tenant for all to public using (account_id = gate.current_account())
gate.participant tenant for all to public using (account_id = gate.current_account())
gate.pass tenant for all to public using (account_id = gate.current_account())
gate.passkey tenant for all to public using (account_id = gate.current_account())
gate.policy tenant for all to public using (account_id = gate.current_account())
gate.preview tenant for all to public using (account_id = gate.current_account())
gate.provider_call tenant for all to public using (account_id = gate.current_account())
gate.push_device tenant for all to public using (account_id = gate.current_account())
gate.recipient_set tenant for all to public using (account_id = gate.current_account())
gate.tool_call tenant for all to public using (account_id = gate.current_account())
gate.tool_consent tenant for all to public using (account_id = gate.current_account())
gate.tool_count tenant for all to public using (account_id = gate.current_account())
gate.upstream tenant for all to public using (account_id = gate.current_account())
gate.upstream_secret tenant for all to public using (account_id = gate.current_account())
gate.upstream_tool tenant for all to public using (account_id = gate.current_account())
gate.viewer tenant for all to public using (account_id = gate.current_account())
gate_private.runner_nonce tenant for all to public using (account_id = gate.current_account())

-- triggers
always CREATE TRIGGER epoch_cosignature_append_only BEFORE DELETE OR UPDATE ON gate_private.epoch_cosignature FOR EACH ROW EXECUTE FUNCTION gate_private.refuse_change()
always CREATE TRIGGER epoch_cosignature_no_truncate BEFORE TRUNCATE ON gate_private.epoch_cosignature FOR EACH STATEMENT EXECUTE FUNCTION gate_private.refuse_change()
always CREATE TRIGGER epoch_leaf_append_only BEFORE DELETE OR UPDATE ON gate_private.epoch_leaf FOR EACH ROW EXECUTE FUNCTION gate_private.refuse_change()
always CREATE TRIGGER epoch_leaf_no_truncate BEFORE TRUNCATE ON gate_private.epoch_leaf FOR EACH STATEMENT EXECUTE FUNCTION gate_private.refuse_change()
always CREATE TRIGGER epoch_seal_append_only BEFORE DELETE OR UPDATE ON gate_private.epoch_seal FOR EACH ROW EXECUTE FUNCTION gate_private.refuse_seal_change()
always CREATE TRIGGER epoch_seal_no_truncate BEFORE TRUNCATE ON gate_private.epoch_seal FOR EACH STATEMENT EXECUTE FUNCTION gate_private.refuse_change()
always CREATE TRIGGER epoch_tile_append_only BEFORE DELETE OR UPDATE ON gate_private.epoch_tile FOR EACH ROW EXECUTE FUNCTION gate_private.refuse_change()
always CREATE TRIGGER epoch_tile_no_truncate BEFORE TRUNCATE ON gate_private.epoch_tile FOR EACH STATEMENT EXECUTE FUNCTION gate_private.refuse_change()
always CREATE TRIGGER ledger_append_only BEFORE UPDATE ON gate.ledger FOR EACH ROW EXECUTE FUNCTION gate_private.refuse_change()
always CREATE TRIGGER ledger_archive_append_only BEFORE DELETE OR UPDATE ON gate.ledger_archive FOR EACH ROW EXECUTE FUNCTION gate_private.refuse_change()
always CREATE TRIGGER ledger_archive_no_truncate BEFORE TRUNCATE ON gate.ledger_archive FOR EACH STATEMENT EXECUTE FUNCTION gate_private.refuse_change()
always CREATE TRIGGER ledger_archived_only BEFORE DELETE ON gate.ledger FOR EACH ROW EXECUTE FUNCTION gate_private.refuse_unarchived()
always CREATE TRIGGER ledger_no_truncate BEFORE TRUNCATE ON gate.ledger FOR EACH STATEMENT EXECUTE FUNCTION gate_private.refuse_change()
always CREATE TRIGGER ledger_seal_append_only BEFORE DELETE OR UPDATE ON gate.ledger_seal FOR EACH ROW EXECUTE FUNCTION gate_private.refuse_seal_change()
always CREATE TRIGGER ledger_seal_no_truncate BEFORE TRUNCATE ON gate.ledger_seal FOR EACH STATEMENT EXECUTE FUNCTION gate_private.refuse_change()
always CREATE TRIGGER ledger_tile_append_only BEFORE DELETE OR UPDATE ON gate.ledger_tile FOR EACH ROW EXECUTE FUNCTION gate_private.refuse_change()
always CREATE TRIGGER ledger_tile_no_truncate BEFORE TRUNCATE ON gate.ledger_tile FOR EACH STATEMENT EXECUTE FUNCTION gate_private.refuse_change()
origin CREATE TRIGGER action_decided AFTER UPDATE ON gate.action FOR EACH ROW WHEN (((old.decision IS NULL) AND (new.decision IS NOT NULL))) EXECUTE FUNCTION gate_private.withdraw_requests()
origin CREATE TRIGGER action_declared BEFORE INSERT ON gate.action FOR EACH ROW WHEN ((new.kind_version IS NOT NULL)) EXECUTE FUNCTION gate_private.set_declared()
origin CREATE TRIGGER action_edited BEFORE UPDATE ON gate.action FOR EACH ROW WHEN (((old.former IS NULL) AND (new.former IS NOT NULL) AND (new.kind = ANY (ARRAY['refund'::text, 'subscription_cancellation'::text, 'checkout'::text, 'payout'::text])))) EXECUTE FUNCTION gate_private.set_subject()
origin CREATE TRIGGER action_edited_declared BEFORE UPDATE ON gate.action FOR EACH ROW WHEN (((old.former IS NULL) AND (new.former IS NOT NULL) AND (new.kind_version IS NOT NULL))) EXECUTE FUNCTION gate_private.set_declared()
origin CREATE TRIGGER action_shown AFTER UPDATE ON gate.action FOR EACH ROW WHEN ((((new.asked_at IS NOT NULL) OR (new.approval_rule IS NOT NULL)) AND (((old.decision IS NULL) AND (new.decision IS NOT NULL)) OR ((old.status = 'proposed'::text) AND (new.status <> 'proposed'::text)) OR (old.digest IS DISTINCT FROM new.digest)))) EXECUTE FUNCTION gate_private.queue_message_updates()
origin CREATE TRIGGER action_subject BEFORE INSERT ON gate.action FOR EACH ROW WHEN ((new.kind = ANY (ARRAY['refund'::text, 'subscription_cancellation'::text, 'checkout'::text, 'payout'::text]))) EXECUTE FUNCTION gate_private.set_subject()
origin CREATE TRIGGER action_upstream BEFORE INSERT ON gate.action FOR EACH ROW WHEN ((new.kind = 'upstream_tool'::text)) EXECUTE FUNCTION gate_private.set_subject()
origin CREATE TRIGGER admin_mailbox AFTER INSERT OR UPDATE OF email, removed_at ON gate.admin FOR EACH ROW EXECUTE FUNCTION gate_private.keep_admin_mailbox()
origin CREATE TRIGGER executor_call_changes BEFORE UPDATE ON gate.executor_call FOR EACH ROW EXECUTE FUNCTION gate_private.note_call_change()
origin CREATE TRIGGER integration_bot AFTER INSERT OR UPDATE OF state ON gate.integration FOR EACH ROW WHEN ((new.provider = 'teams_bot'::text)) EXECUTE FUNCTION gate_private.keep_teams_bot()
origin CREATE TRIGGER ledger_head_unsealed BEFORE UPDATE ON gate.ledger_head FOR EACH ROW WHEN (((new.seq <> old.seq) AND (NOT new.is_unsealed))) EXECUTE FUNCTION gate_private.note_unsealed()
origin CREATE TRIGGER member_identities AFTER UPDATE ON gate.member FOR EACH ROW WHEN (((old.email IS DISTINCT FROM new.email) OR (old.slack IS DISTINCT FROM new.slack) OR (old.teams IS DISTINCT FROM new.teams))) EXECUTE FUNCTION gate_private.keep_identities()
origin CREATE TRIGGER member_mailbox AFTER INSERT OR UPDATE OF email, is_active ON gate.member FOR EACH ROW EXECUTE FUNCTION gate_private.keep_member_mailbox()
origin CREATE TRIGGER provider_call_changes BEFORE UPDATE ON gate.provider_call FOR EACH ROW EXECUTE FUNCTION gate_private.note_call_change()

-- functions and who may call them
gate.accounts_with_upstreams(p_limit integer) returns SETOF text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.activate_integration(p_account text, p_action bigint) returns gate.integration security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.add_app_client(p_account text, p_session bytea, p_client text, p_name text, p_redirects text[], p_secret bytea, p_event uuid) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.add_curriculum(p_account text, p_session bytea, p_curriculum jsonb, p_event uuid) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.add_endpoint(p_account text, p_session bytea, p_endpoint jsonb, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.add_member(p_account text, p_session bytea, p_member text, p_name text, p_email text, p_slack text, p_event uuid, p_teams text DEFAULT NULL::text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.add_participant(p_account text, p_session bytea, p_conversation text, p_member text, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.add_passkey(p_account text, p_session bytea, p_passkey jsonb) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.add_push_device(p_account text, p_session bytea, p_device jsonb) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.add_push_key(p_public_key bytea, p_ciphertext bytea, p_wrapped_key bytea, p_secrets_kid text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.add_receipt_key(p_kid text, p_public_key bytea, p_ciphertext bytea, p_wrapped_key bytea, p_secrets_kid text, p_is_first boolean, p_lead_ms bigint, p_keys_max integer) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.add_upstream(p_account text, p_session bytea, p_upstream jsonb, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.adopt_members(p_account text, p_session bytea, p_members text[], p_users_max integer) returns integer security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.applied_files() returns TABLE(name text, sha256 text) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.apply_rule_change(p_account text, p_id bigint, p_event uuid) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.approval_rules_changed(p_account text, p_document jsonb) returns jsonb security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.approvals_counted(p_account text, p_id bigint, p_voters jsonb) returns jsonb security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.ask_approvers(p_account text, p_id bigint, p_asks jsonb, p_hour_max integer) returns integer security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.authenticate(p_hash bytea) returns TABLE(account_id text, key_id text, actors text[], powers text[], kinds text[], networks text[], ceilings json, hash bytea, is_valid boolean, touch_due boolean, key_limits text, upstreams_version bigint, kinds_version bigint, is_of_app boolean) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.authority_page(p_account text, p_part text, p_after text, p_limit integer) returns TABLE(id text, facts json) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.beat_preview_host(p_host text, p_gateway_url text, p_modes text[], p_unavailable text, p_accounts text[], p_previews text[], p_accessed timestamp with time zone[]) returns TABLE(preview_id text, verdict text) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.begin_admin_call(p_account text, p_session bytea, p_power text, p_operation text, p_count integer, p_event uuid) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.begin_call(p_account text, p_id bigint, p_step text, p_credential text, p_attempt uuid DEFAULT NULL::uuid, OUT outcome text, OUT was_sending boolean, OUT is_suspended boolean, OUT call gate.provider_call) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.begin_company_session(p_account text, p_token bytea, p_given jsonb) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.begin_consent_send(p_account text, p_id bigint, p_n integer, p_message text, p_card bytea, p_workspace bytea, OUT outcome text, OUT request gate.consent_request) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.begin_execution(p_account text, p_id bigint, p_late_ok boolean, p_uuid uuid DEFAULT NULL::uuid, OUT outcome text, OUT action gate.action, OUT proposer_name text, OUT account_name text, OUT integrations_version bigint, OUT was_begun boolean, OUT has_its_recipients boolean) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.begin_executor_call(p_account text, p_id bigint, p_step text, p_body text, p_attempt uuid, p_call_ms integer, p_repeat_ms integer, OUT outcome text, OUT wait_ms integer, OUT call gate.executor_call, OUT secrets json) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.begin_passkey_session(p_account text, p_credential bytea, p_nonce bytea, p_sign_count bigint, p_token bytea, p_session text, p_lasts_ms bigint, p_former bytea, p_asker bytea, p_browser text, p_address text) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.begin_session(p_link bytea, p_token bytea, p_session text, p_lasts_ms bigint, p_former bytea, p_asker bytea DEFAULT NULL::bytea, p_browser text DEFAULT NULL::text, p_address text DEFAULT NULL::text) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.change_curriculum(p_account text, p_session bytea, p_curriculum jsonb, p_base bigint, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.change_endpoint(p_account text, p_session bytea, p_endpoint jsonb, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.change_group_members(p_account text, p_session bytea, p_group text, p_add text[], p_remove text[], p_members_max integer, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.change_upstream(p_account text, p_session bytea, p_upstream jsonb, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.claim_action(p_account text, p_id bigint, p_api_key bytea, p_token bytea, p_lease_ms bigint, p_window_ms bigint, p_event uuid, p_due_ms integer, OUT outcome text, OUT lease_expires_at timestamp with time zone, OUT due_at text, OUT action gate.action) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.claim_connection(p_token bytea, p_session bytea, p_idle_ms bigint, p_account text, p_id bigint, p_command uuid, p_event uuid, p_expire_event uuid, p_due_ms integer, p_member_version bigint, p_curricula_version bigint, p_policy_version bigint, p_tier text, p_draft text, p_replaces text, OUT outcome text, OUT action gate.action) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.claim_decision(p_account text, p_id bigint, p_decision text, p_claim jsonb, p_uuid uuid DEFAULT NULL::uuid, p_edit jsonb DEFAULT NULL::jsonb, p_passkey jsonb DEFAULT NULL::jsonb, p_mandate jsonb DEFAULT NULL::jsonb, OUT outcome text, OUT action gate.action) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.claim_form(p_account text, p_session bytea, p_form bytea, p_claim uuid, OUT outcome text, OUT path text, OUT flash text, OUT is_recent boolean) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.claim_nonce(p_account text, p_key text, p_nonce bytea, p_request uuid, p_kept_ms bigint) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.clear_events(p_keep_ms bigint, p_every_ms bigint, p_limit integer) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.company_id_token(p_account text, p_session bytea) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.confirm_identity(p_account text, p_session bytea, p_member text, p_via text, p_changed_at timestamp with time zone, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.connect_app(p_account text, p_session bytea, p_grant text, p_client text, p_name text, p_host text, p_member text, p_powers text[], p_kinds text[], p_actions_per_day integer, p_cents_per_day json, p_code bytea, p_challenge bytea, p_redirect text, p_lasts_ms bigint, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.connect_in_console(p_token bytea, p_session bytea, p_idle_ms bigint, p_account text, p_draft text, p_replaces text, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.consent_stop(p_account text, p_member_id text, p_key_id text, p_hour_max integer, p_day_max integer, OUT until timestamp with time zone, OUT told_id bigint, OUT told_kind text) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.create_account(p_account text, p_name text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.create_conversation(p_account text, p_session bytea, p_conversation text, p_title text, p_members text[], p_event uuid) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.create_group(p_account text, p_session bytea, p_group text, p_name text, p_groups_max integer, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.current_account() returns text; gate_service execute
gate.deny_action(p_account text, p_id bigint, p_claimed boolean, p_reason text, p_code text, p_needs text, p_event uuid, p_due_ms integer, p_member_version bigint, p_curricula_version bigint, p_policy_version bigint, p_api_key bytea, p_key uuid, p_request bytea, OUT outcome text, OUT action gate.action) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.devices_to_tell(p_account text, p_id bigint, p_n integer) returns TABLE(device_id text, endpoint text, public_key bytea, auth bytea) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.disconnect_integration(p_account text, p_session bytea, p_integration text, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.drop_push_device(p_account text, p_device text, p_event uuid) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.drop_sign_in_link(p_token bytea) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.end_app(p_account text, p_session bytea, p_grant text) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.end_consent_send(p_account text, p_id bigint, p_n integer, p_state text, p_provider_id text, p_code text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.end_delegation(p_account text, p_session bytea, p_delegation text, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.end_directory_tokens(p_account text, p_session bytea) returns integer security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.end_form(p_form bytea, p_claim uuid, p_path text, p_flash text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.end_identity_notice(p_account text, p_notice uuid) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.end_mandate(p_account text, p_id bigint, p_session bytea) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.end_message_update(p_account text, p_id bigint, p_n integer) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.end_session(p_account text, p_admin text, p_member text, p_session text) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.epoch_before(p_size bigint) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.epoch_leaves(p_from bigint, p_to bigint) returns bytea security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.epoch_note(p_size bigint, OUT size bigint, OUT frontier bytea, OUT note text, OUT at timestamp with time zone, OUT witnesses text[]) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.epoch_size() returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.epoch_tile_roots(p_level integer, p_from bigint, p_to bigint) returns bytea security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.epoch_tiles(p_tiles json) returns TABLE(level integer, n bigint, hashes bytea) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.erase_member(p_account text, p_session bytea, p_member text, p_reason text, p_limit integer, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.erase_payload(p_account text, p_session bytea, p_id bigint, p_reason text, p_event uuid, OUT outcome text, OUT action gate.action) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.failing_calls(p_account text) returns TABLE(account_id text, target text, failing_since timestamp with time zone, code text, actions bigint) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.failing_endpoints(p_after_ms bigint) returns TABLE(account_id text, endpoint_id text, failing_since timestamp with time zone, off_reason text) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.find_app_client(p_client text) returns TABLE(account_id text, name text, redirects text[], secret bytea) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.find_chat_request(p_user text, p_message text) returns TABLE(account_id text, action_id bigint) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.find_connect_link(p_token bytea) returns TABLE(account_id text, action_id bigint, uuid uuid, admin_id text, admin text, is_used boolean, provider text, expires_at timestamp with time zone, is_over boolean, tries integer, account_name text, is_suspended boolean, member_id text, member text, member_name text, is_active boolean, status text, decision text, closed_reason text, denial_reason text, in_use json, draft json) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.find_consent_request(p_token bytea) returns TABLE(account_id text, action_id bigint, via text, address text, card bytea, workspace bytea, member_id text) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.find_mailbox(p_email text, p_limit integer) returns TABLE(account_id text, account_name text, address text, is_admin boolean, is_company_only boolean) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.find_passkey(p_account text, p_credential bytea) returns TABLE(passkey_id text, member_id text, credential bytea, public_key bytea, sign_count bigint) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.find_sign_in_link(p_token bytea) returns TABLE(state text, account_id text, account_name text, is_admin boolean, is_member boolean, expires_at timestamp with time zone) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.find_slack_request(p_user text, p_timestamp text) returns TABLE(account_id text, action_id bigint) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.finish_action(p_account text, p_id bigint, p_status text, p_result text, p_closed_reason text, p_event uuid, p_delivered_events uuid[], p_delivered_steps text[], p_records jsonb DEFAULT NULL::jsonb, p_uuid uuid DEFAULT NULL::uuid, OUT outcome text, OUT action gate.action) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.finish_preview(p_account text, p_preview text, p_state text, p_error text, p_exit_code integer, p_log_tail text, p_event uuid) returns gate.preview security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.first_entry_from(p_account text, p_at timestamp with time zone) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.forget_app_tokens(p_account text, p_kept_ms bigint, p_limit integer) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.forget_apps(p_kept_ms bigint, p_limit integer) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.forget_connect_links(p_limit integer) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.forget_consent_tokens(p_limit integer) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.forget_keys(p_account text, p_limit integer) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.forget_receipt_keys(p_overlap_ms bigint) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.forget_recipients(p_account text, p_limit integer) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.forget_sign_ins(p_idle_ms bigint, p_limit integer) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.freeze_call(p_account text, p_id bigint, p_step text, p_provider text, p_request text, p_key text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.freeze_mandate(p_account text, p_id bigint, p_session bytea, p_is_frozen boolean) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.grant_mandate(p_account text, p_id bigint, p_ttl_ms bigint) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.grant_tool_call(p_account text, p_id bigint, p_ttl_ms bigint) returns timestamp with time zone security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.hasten_upstream(p_account text, p_upstream text, p_within_ms bigint) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.hold_consent_request(p_account text, p_id bigint, p_n integer, p_devices text[], p_hold_ms bigint) returns double precision security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.holds_key(p_account text, p_hash bytea) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.import_members(p_account text, p_session bytea, p_members jsonb) returns integer security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.invite_admin(p_account text, p_session bytea, p_admin text, p_email text, p_link bytea, p_lasts_ms bigint, p_event uuid, p_role text DEFAULT 'administrator'::text) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.is_derived(p_action gate.action) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.is_only_account(p_account text) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.keep_connect_draft(p_token bytea, p_session bytea, p_idle_ms bigint, p_integration text, p_settings text, p_fingerprint text, p_field text, p_ciphertext bytea, p_wrapped_key bytea, p_kid text) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.keep_recipients(p_account text, p_sha256 bytea, p_members text[], p_channels text[], p_addresses text[]) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.key_ceilings(p_account text, p_key text) returns TABLE(keys text[], actions_per_day integer, cents_per_day json) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.key_holds(used gate.idempotency) returns boolean; gate_service execute
gate.key_limits(p_account text) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.knows_teams_bot(p_app_id text) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.lay_out_deliveries(p_account text, p_id bigint, p_slack_max integer, p_email_max integer) returns TABLE(channel text, slices bigint) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.link_company_identity(p_account text, p_session bytea, p_identity text, p_subject text, p_member text, p_admin text, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.list_accounts() returns TABLE(account_id text, name text, created_at timestamp with time zone, suspended_at timestamp with time zone, key_limits text, seq bigint, hash bytea) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.list_app_clients(p_account text) returns TABLE(client_id text, name text, redirects text[], created_at timestamp with time zone) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.list_apps(p_account text, p_member text, p_limit integer) returns TABLE(grant_id text, client_id text, name text, host text, member_id text, member_name text, granted_by text, powers text[], kinds text[], actions_per_day integer, cents_per_day json, created_at timestamp with time zone, expires_at timestamp with time zone, ended_at timestamp with time zone, last_used_at timestamp with time zone, state text) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.list_expired(p_limit integer, p_after uuid) returns TABLE(uuid uuid, account_id text, action_id bigint) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.list_keys(p_account text) returns TABLE(key_id text, name text, last4 text, actors text[], created_at timestamp with time zone, expires_at timestamp with time zone, revoked_at timestamp with time zone, last_used_at timestamp with time zone, powers text[], kinds text[], networks text[], actions_per_day integer, cents_per_day json, rotated_from text, admin_calls_per_day integer, minted_by text, used_today bigint) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.list_open(p_limit integer, p_overdue_ms integer, p_unended_ms integer, p_stalled_ms integer, p_all boolean, p_after uuid) returns TABLE(uuid uuid, account_id text, action_id bigint, kind text, wake text, due_at text, expires_at timestamp with time zone, decided_at timestamp with time zone, is_stalled boolean) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.list_preview_hosts(p_dead_ms integer) returns TABLE(modes text[], unavailable json) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.list_sessions(p_account text, p_admin text, p_member text, p_idle_ms bigint, p_limit integer) returns TABLE(session_id text, created_at timestamp with time zone, seen_at timestamp with time zone, expires_at timestamp with time zone, browser text, address text, seen_address text) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.list_signing_elsewhere(p_account text, p_kid text) returns TABLE(key_id text, ciphertext bytea, wrapped_key bytea, kid text) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.list_stray_previews(p_limit integer, p_dead_ms integer, p_late_ms integer) returns TABLE(account_id text, preview_id text, action_id bigint, expires_at timestamp with time zone, stray text) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.list_teams_bots(p_account text, p_limit integer, p_since_ms bigint) returns TABLE(account_id text, app_id text, members bigint, sent bigint, failed bigint, code text, failed_at timestamp with time zone) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.live_preview_hosts(p_hosts text[], p_dead_ms integer) returns SETOF text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.log_id() returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.lone_company_account() returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.look_at_edit(p_account text, p_id bigint, p_payload text, p_channel text, OUT recipients bytea, OUT duplicate_of bigint) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.make_connect_link(p_token bytea, p_account text, p_action bigint, p_provider text, p_expires timestamp with time zone) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.make_console_link(p_token bytea, p_account text, p_session bytea, p_provider text, p_lasts_ms bigint) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.make_directory_token(p_account text, p_session bytea, p_key text, p_name text, p_last4 text, p_hash bytea, p_overlap_ms bigint, p_event uuid, OUT expires_at timestamp with time zone) returns timestamp with time zone security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.make_passkey_nonce(p_nonce bytea, p_purpose text, p_account text, p_member text, p_action bigint, p_lasts_ms bigint) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.make_sign_in_link(p_token bytea, p_account text, p_email text, p_asker bytea, p_lasts_ms bigint, p_asker_max integer, p_strangers_max integer, p_standing_ms bigint) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.mandate_agent(p_account text, p_key_id text) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.mint_key(p_account text, p_session bytea, p_key text, p_name text, p_last4 text, p_hash bytea, p_actors text[], p_expires timestamp with time zone, p_powers text[], p_kinds text[], p_networks text[], p_actions_per_day integer, p_cents_per_day json, p_event uuid, p_signing json DEFAULT NULL::json, p_admin_calls_per_day integer DEFAULT NULL::integer) returns text[] security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.note_company_refusal(p_account text, p_reason text, p_event uuid) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.note_delivered(p_account text, p_id bigint, p_event uuid, p_step text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.note_refusal(p_account text, p_id bigint, p_event uuid, p_decision text, p_reason text, p_source text, p_actor text, p_api_key bytea) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.note_refused_key(p_hash bytea, p_event uuid, p_operation text, p_source text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.note_refused_write(p_account text, p_event uuid, p_api_key bytea, p_actor text, p_operation text, p_source text, p_reason text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.note_tool_counts(p_account text, p_before timestamp with time zone, p_rows integer, p_forget_before timestamp with time zone) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.open_summary() returns TABLE(open_proposals bigint, claims_without_end bigint, oldest_due timestamp with time zone, oldest_claim timestamp with time zone) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.outbox_of(p_account text, p_id bigint) returns TABLE(wake text, due_at timestamp with time zone, woken integer, again_at timestamp with time zone, decided_at timestamp with time zone, created_at timestamp with time zone) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.pass_tool_calls(p_account text, p_answers jsonb, p_calls jsonb) returns TABLE(outcome text, action_id bigint) security definer set search_path=pg_catalog, pg_temp, plan_cache_mode=force_generic_plan; gate_service execute
gate.place_preview(p_account text, p_preview text, p_host_max integer, p_dead_ms integer, OUT outcome text, OUT host text) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.propose(p_account text, p_proposal jsonb, OUT outcome text, OUT action gate.action) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.publish_epoch(p_size bigint, p_note text, p_accounts text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.published_state() returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.push_key() returns TABLE(public_key bytea, ciphertext bytea, wrapped_key bytea, secrets_kid text) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.put_directory_group(p_account text, p_session bytea, p_group jsonb, p_event uuid, OUT outcome text, OUT group_id text) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.put_directory_user(p_account text, p_session bytea, p_user jsonb, p_event uuid, OUT outcome text, OUT member text) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.put_step_off(p_uuid uuid, p_in_ms double precision) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.read_preview(p_account text, p_preview text, p_dead_ms integer) returns TABLE(preview gate.preview, is_host_lost boolean, is_suspended boolean) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.receipt_keys() returns TABLE(kid text, public_key bytea, ciphertext bytea, wrapped_key bytea, secrets_kid text, signs_from timestamp with time zone, created_at timestamp with time zone) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.record_call(p_account text, p_id bigint, p_step text, p_attempt integer, p_state text, p_code text, p_answer text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.record_checks(p_account text, p_uuids uuid[], p_member_ids text[], p_members text[], p_tiers text[], p_tier_sources text[], p_certified boolean[], p_sources text[], p_api_key_ids text[], p_api_keys bytea[], p_member_versions bigint[], p_curricula_versions bigint[]) returns text[] security definer set search_path=pg_catalog, pg_temp, plan_cache_mode=force_generic_plan; gate_service execute
gate.record_event_attempt(p_account text, p_endpoint text, p_event_id text, p_attempt integer, p_outcome text, p_again_ms bigint, p_pause_ms bigint, p_status integer, p_code text, p_ms integer, p_answer text, p_off_after_ms bigint) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.record_executor_call(p_account text, p_id bigint, p_step text, p_attempt uuid, p_state text, p_is_maybe_done boolean, p_code text, p_location text, p_result text, p_again_ms integer, p_unsigned integer DEFAULT NULL::integer) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.record_pass(p_account text, p_session bytea, p_member text, p_curriculum text, p_module integer, p_at timestamp with time zone, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.record_tool_calls(p_account text, p_askers jsonb, p_calls jsonb, p_have_rows boolean, p_same_ms bigint) returns TABLE(outcome text, action_id bigint) security definer set search_path=pg_catalog, pg_temp, plan_cache_mode=force_generic_plan, enable_seqscan=off; gate_service execute
gate.record_upstream_failure(p_account text, p_upstream text, p_connection uuid, p_failure text, p_put_off_ms bigint) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.record_upstream_listing(p_account text, p_upstream text, p_connection uuid, p_tools text[], p_definitions text[], p_listing text) returns text[] security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.redeem_app_code(p_code bytea, p_client text, p_redirect text, p_challenge bytea, p_key text, p_last4 text, p_hash bytea, p_refresh bytea, p_lasts_ms bigint, p_refresh_ms bigint, p_event uuid, OUT outcome text, OUT powers text[]) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.refresh_app(p_token bytea, p_client text, p_powers text[], p_key text, p_last4 text, p_hash bytea, p_refresh bytea, p_lasts_ms bigint, p_refresh_ms bigint, p_event uuid, OUT outcome text, OUT powers text[]) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.register_app_client(p_client text, p_name text, p_redirects text[], p_unused_max integer) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.remind_consent(p_account text, p_id bigint, p_event uuid, p_via text, p_token text, p_token_hash bytea, p_remind_ms bigint) returns timestamp with time zone security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.remove_admin(p_account text, p_session bytea, p_admin text, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.remove_app_client(p_account text, p_session bytea, p_client text, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.remove_company_sign_in(p_account text, p_session bytea, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.remove_directory_group(p_account text, p_session bytea, p_group text, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.remove_directory_user(p_account text, p_session bytea, p_member text, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.remove_endpoint(p_account text, p_session bytea, p_endpoint text, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.remove_group(p_account text, p_session bytea, p_group text, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.remove_participant(p_account text, p_session bytea, p_conversation text, p_member text, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.remove_passkey(p_account text, p_session bytea, p_passkey text, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.remove_preview_host(p_host text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.remove_push_device(p_account text, p_session bytea, p_device text, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.remove_upstream(p_account text, p_session bytea, p_upstream text, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.rename_group(p_account text, p_session bytea, p_group text, p_name text, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.replay_events(p_account text, p_session bytea, p_endpoint text, p_event_id text, p_from timestamp with time zone, p_limit integer, OUT outcome text, OUT queued bigint, OUT next_from timestamp with time zone) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.report_claim(p_account text, p_id bigint, p_report jsonb, OUT outcome text, OUT action gate.action) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.report_tool_outcome(p_account text, p_api_key bytea, p_ref bytea, p_outcome text) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.request_consent(p_account text, p_id bigint, p_ask jsonb, OUT outcome text, OUT due_at text, OUT action gate.action) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.retire_curriculum(p_account text, p_session bytea, p_slug text, p_retire boolean, p_base bigint, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.retire_kind(p_account text, p_session bytea, p_kind text, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.review_glass_break(p_account text, p_session bytea, p_given jsonb) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.review_upstream_tools(p_account text, p_session bytea, p_upstream text, p_tools text[], p_hashes text[], p_event uuid, p_rule text DEFAULT NULL::text, p_shown text DEFAULT NULL::text) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.revoke_app_token(p_token bytea, p_hash bytea, p_client text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.revoke_key(p_account text, p_session bytea, p_key text, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.revoke_passes(p_account text, p_session bytea, p_member text, p_curriculum text, p_module integer, p_event uuid) returns integer security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.revoke_receipt_key(p_kid text) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.rewrap_company_secret(p_account text, p_old_kid text, p_kid text, p_wrapped_key bytea) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.rewrap_endpoint_secret(p_account text, p_endpoint text, p_secret text, p_old_kid text, p_kid text, p_wrapped_key bytea) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.rewrap_kind_secrets(p_account text, p_kid text, p_secrets text) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.rewrap_push_key(p_old_secrets_kid text, p_secrets_kid text, p_wrapped_key bytea) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.rewrap_receipt_key(p_kid text, p_old_secrets_kid text, p_secrets_kid text, p_wrapped_key bytea) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.rewrap_secrets(p_account text, p_kid text, p_secrets text) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.rewrap_signing(p_account text, p_key text, p_old_kid text, p_kid text, p_ciphertext bytea, p_wrapped_key bytea) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.rewrap_upstream_secret(p_account text, p_upstream text, p_old_kid text, p_kid text, p_wrapped_key bytea) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.rotate_endpoint(p_account text, p_session bytea, p_endpoint jsonb, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.rotate_key(p_account text, p_session bytea, p_key text, p_new_key text, p_last4 text, p_hash bytea, p_overlap_ms bigint, p_event uuid, p_signing json DEFAULT NULL::json, OUT outcome text, OUT expires_at timestamp with time zone) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.rotate_kind_secret(p_account text, p_session bytea, p_kind text, p_secret text, p_ciphertext bytea, p_wrapped_key bytea, p_kid text, p_overlap_ms bigint, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.run_preview(p_account text, p_preview text, p_host text, p_mode text) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.runner_signing(p_name bytea) returns TABLE(account_id text, key_id text, hash bytea, ciphertext bytea, wrapped_key bytea, kid text) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.seal_faults(p_account text) returns TABLE(account_id text, problem text, at timestamp with time zone) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.seal_for(p_account text, p_seq bigint) returns TABLE(size bigint, at timestamp with time zone, epoch bigint) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.seal_parts(p_account text, p_seq bigint, OUT state text, OUT leaf bigint, OUT proves_from bigint, OUT size bigint, OUT root bytea, OUT frontier bytea, OUT note text, OUT salt bytea, OUT epoch_note text, OUT epoch_frontier bytea, OUT epoch_parts bytea) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.seal_status(p_accounts integer, OUT epoch bigint, OUT sealed_at timestamp with time zone, OUT waiting_since timestamp with time zone) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.seal_work(p_after text, p_limit integer, p_all boolean) returns json security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.sealed_by_epochs(p_account text) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.set_company_sign_in(p_account text, p_session bytea, p_settings jsonb, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.set_key_limits(p_account text, p_session bytea, p_key_limits text, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.set_kind(p_account text, p_session bytea, p_kind text, p_document json, p_kinds_max integer, p_event uuid, p_base bigint DEFAULT NULL::bigint, OUT outcome text, OUT version integer) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.set_policy(p_account text, p_session bytea, p_base bigint, p_document json, p_kinds text[], p_note text, p_restores bigint, p_event uuid, p_without_approvals boolean DEFAULT false) returns bigint security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.set_seal_faults(p_faults text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.set_tier(p_account text, p_session bytea, p_member text, p_tier text, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.set_time_zone(p_account text, p_session bytea, p_time_zone text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.set_upstream_rule(p_account text, p_session bytea, p_upstream text, p_tool text, p_rule text, p_event uuid, p_shown text DEFAULT NULL::text) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.settle(p_uuids uuid[], p_wakes text[], p_dues text[]) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.settle_call(p_account text, p_id bigint, p_step text, p_provider text DEFAULT NULL::text, p_key text DEFAULT NULL::text) returns gate.provider_call security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.settle_claim(p_account text, p_id bigint, p_window_ms bigint, p_force boolean, OUT state text, OUT reported text, OUT wait_ms double precision) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.settle_executor_call(p_account text, p_id bigint, p_step text, OUT call gate.executor_call, OUT result json) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.settle_mandate(p_account text, p_id bigint) returns timestamp with time zone security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.settle_mandate_end(p_account text, p_id bigint) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.settle_member_notice(p_account text, p_about text, p_subject text, p_member text) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.settle_tool_grant(p_account text, p_id bigint) returns timestamp with time zone security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.sign_out_everywhere(p_account text, p_session bytea) returns integer security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.spend_tool_grant(p_account text, p_id bigint, p_call jsonb) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.start_delegation(p_account text, p_session bytea, p_given jsonb) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.start_preview(p_account text, p_preview text, p_conversation text, p_row jsonb, p_member_version bigint, p_curricula_version bigint, p_link_secret bytea, p_hard_ms bigint, p_total_ms bigint, p_account_max integer, p_dead_ms integer, p_due_ms integer, p_api_key bytea, OUT outcome text, OUT preview gate.preview) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.step_delivery(p_account text, p_id bigint, p_channel text, p_record integer, p_attempt integer, p_states text[], p_provider_ids text[], p_codes text[], p_slice integer, p_slice_max integer, p_message text, p_most integer, OUT outcome text, OUT delivery gate.delivery, OUT was_sending boolean, OUT is_suspended boolean) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.stop_preview(p_account text, p_preview text, p_row jsonb, p_is_admin boolean, p_api_key bytea, p_session bytea, OUT outcome text, OUT preview gate.preview) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.store_cosignatures(p_size bigint, p_names text[], p_lines text[]) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.store_epoch(p_epoch text) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.suspend_account(p_account text, p_session bytea, p_suspend boolean, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.take_connect_state(p_state bytea) returns TABLE(token bytea, session bytea) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.take_due(p_limit integer, p_again_ms integer) returns TABLE(uuid uuid, account_id text, action_id bigint, kind text, wake text, due_at text, expires_at timestamp with time zone) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.take_due_upstreams(p_limit integer, p_every_ms bigint, p_per_account integer DEFAULT 5, p_reading text[] DEFAULT '{}'::text[]) returns TABLE(account_id text, upstream text) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.take_events(p_limit integer, p_at_once integer, p_take_ms integer) returns TABLE(account_id text, endpoint_id text, event_id text, type text, at timestamp with time zone, seq bigint, action_id bigint, attempt integer, tries integer, url text, is_full boolean, entry text, secrets json) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.take_failing_notices(p_after_ms bigint) returns TABLE(account_id text, target text, failing_since timestamp with time zone, code text, actions bigint) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.take_identity_notices(p_limit integer, p_again_ms bigint) returns TABLE(account_id text, notice_id uuid, via text, address text, identity text, next text, is_first boolean, changed_by text, changed_at timestamp with time zone, tries integer, account_name text, integrations_version bigint, settles_after_hours double precision) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.take_mandate_ends(p_limit integer, p_again_ms bigint) returns TABLE(account_id text, mandate_id bigint, uuid uuid, terms json, uses bigint, ended_by text, email text, tries integer) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.take_member_notices(p_limit integer, p_again_ms bigint) returns TABLE(account_id text, about text, subject text, member_id text, tries integer, email text, slack text, teams text, account_name text, integrations_version bigint, facts jsonb) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.take_message_updates(p_limit integer, p_again_ms integer) returns TABLE(account_id text, action_id bigint, n integer, tries integer) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.take_requests(p_account text, p_key text, p_share integer, p_max integer, OUT taken integer, OUT left_ms double precision) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.tenant(p_account text) returns text; gate_service execute
gate.test_endpoint(p_account text, p_session bytea, p_endpoint text, p_event uuid, OUT outcome text, OUT event_id text) returns record security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.touch_key(p_hash bytea) returns void security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.try_connect_link(p_token bytea, p_tries_max integer, p_state bytea, p_session bytea) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.turn_endpoint(p_account text, p_session bytea, p_endpoint text, p_is_on boolean, p_event uuid) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.unlink_company_identity(p_account text, p_session bytea, p_identity text, p_event uuid) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.unproven_leaf(p_account text) returns TABLE(n bigint, account_id text, size bigint) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.unsigned_seals(p_from bigint) returns TABLE(account_id text, size bigint, root bytea, hash text, salt bytea, leaf_hash bytea, was bigint, was_hash text, was_root text, was_frontier text, was_note text, told bigint, archived_to bigint) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.update_member(p_account text, p_session bytea, p_member text, p_name text, p_email text, p_slack text, p_active boolean, p_event uuid, p_teams text DEFAULT NULL::text) returns boolean security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.use_mandate(p_account text, p_id bigint, p_call jsonb, p_use jsonb DEFAULT NULL::jsonb) returns text security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.use_session(p_token bytea, p_idle_ms bigint, p_address text DEFAULT NULL::text) returns TABLE(session_id text, account_id text, account_name text, is_suspended boolean, admin_id text, is_auditor boolean, member_id text, name text, address text, created_at timestamp with time zone, expires_at timestamp with time zone, time_zone text, is_by_company boolean, is_fresh boolean) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate.waiting_marks(p_tokens bytea[], p_idle_ms bigint) returns TABLE(token bytea, mark text) security definer set search_path=pg_catalog, pg_temp; gate_service execute
gate_private.action_digest(p_row gate.action, p_payload text) returns text; nobody else
gate_private.add_consent_request(p_action gate.action, p_is_reminder boolean, p_required text, p_via text, p_address text, p_token text, p_token_hash bytea, p_at timestamp with time zone, p_api_key_id text, p_outside_mandate text DEFAULT NULL::text) returns void; nobody else
gate_private.add_mandate(p_action gate.action, p_scope bytea) returns void; nobody else
gate_private.add_request_to(p_action gate.action, p_member text, p_is_reminder boolean, p_required text, p_via text, p_address text, p_token text, p_token_hash bytea, p_at timestamp with time zone, p_api_key_id text, p_outside_mandate text DEFAULT NULL::text) returns void; nobody else
gate_private.add_tool_consent(p_action gate.action, p_call jsonb) returns void; nobody else
gate_private.add_tool_rows(p_head gate.ledger_head, p_key_ids text[], p_member_ids text[], p_calls jsonb, p_outcomes text[], p_ids bigint[]) returns void; nobody else
gate_private.address_of(p_member gate.member, p_via text) returns text; nobody else
gate_private.agent_of(p_account text, p_key_id text) returns text; nobody else
gate_private.answer_tool(p_account text, p_id bigint, p_event uuid, p_result text) returns gate.ledger[]; nobody else
gate_private.app_host(p_account text, p_family text) returns text; nobody else
gate_private.app_host_of_key(p_account text, p_key text) returns text; nobody else
gate_private.append(p_account text, p_event uuid, p_kind text, p_action bigint, p_tail text, p_repeatable boolean DEFAULT true) returns timestamp with time zone; nobody else
gate_private.append_entries(p_head gate.ledger_head, p_entries gate.ledger[]) returns void; nobody else
gate_private.approval_event(p_uuid uuid, p_n integer) returns uuid; nobody else
gate_private.approval_obstacle(p_row gate.action, p_voter text, p_voters jsonb, p_digest text) returns text; nobody else
gate_private.approval_rules_changed(p_account text, p_document jsonb) returns jsonb; nobody else
gate_private.approvals_counted(p_row gate.action, p_voters jsonb, p_voter text, p_for text) returns jsonb; nobody else
gate_private.approvals_of(p_rule jsonb) returns jsonb; nobody else
gate_private.archivable_to(p_account text, p_before timestamp with time zone) returns bigint security definer set search_path=pg_catalog, pg_temp; nobody else
gate_private.archive_entries(p_account text, p_first bigint, p_last bigint, p_before timestamp with time zone, p_file bytea, p_manifest bytea) returns void security definer set search_path=pg_catalog, pg_temp; nobody else
gate_private.archive_line(p_entry gate.ledger) returns text; nobody else
gate_private.archived_to(p_account text) returns bigint; nobody else
gate_private.are_ceilings(p_cents json) returns boolean; nobody else
gate_private.are_networks(p_networks text[]) returns boolean; nobody else
gate_private.ask_day_left(p_account text, p_member_id text, p_day_max integer) returns boolean; nobody else
gate_private.ask_share_left(p_account text, p_member_id text, p_key_id text, p_hour_max integer, p_day_max integer) returns boolean; nobody else
gate_private.at_pointer(p_payload json, p_pointer text) returns text; nobody else
gate_private.birth_data(p_row gate.action, p_policy_version bigint, p_rule text) returns jsonb; nobody else
gate_private.break_glass(p_row gate.action, p_voter text, p_given jsonb, p_age_hours integer, p_signed json) returns gate.approval; nobody else
gate_private.canonical(p_value jsonb) returns text set search_path=pg_catalog, pg_temp; nobody else
gate_private.ceilings_of(p_key gate_private.api_key_hash) returns TABLE(keys text[], actions_per_day integer, cents_per_day json); nobody else
gate_private.change_group_members(p_account text, p_actor text, p_group text, p_add text[], p_remove text[], p_members_max integer, p_event uuid) returns text; nobody else
gate_private.change_member(p_account text, p_actor text, p_member text, p_name text, p_email text, p_slack text, p_active boolean, p_more jsonb, p_event uuid, p_teams text DEFAULT NULL::text) returns boolean; nobody else
gate_private.changes(p_was json, p_becomes json) returns TABLE(field text, was json, becomes json); nobody else
gate_private.client_may_attest(p_row gate.action) returns boolean; nobody else
gate_private.commit_behind() returns void; nobody else
gate_private.company_data(p_settings gate.company_sign_in) returns jsonb; nobody else
gate_private.company_identity_data(p_identity gate.company_identity) returns jsonb; nobody else
gate_private.confirm_obstacle(p_account text, p_member_id text, p_member_version bigint, p_curricula_version bigint, p_policy_version bigint) returns text; nobody else
gate_private.connection_data(p_account text, p_id bigint) returns jsonb; nobody else
gate_private.connects_as(p_session bytea, p_account text, p_member text, p_idle_ms bigint) returns text; nobody else
gate_private.connects_link_as(p_session bytea, p_link gate_private.connect_link, p_idle_ms bigint) returns text; nobody else
gate_private.count_kinds(p_account text) returns void; nobody else
gate_private.count_tool_calls(p_account text, p_called bigint[]) returns void; nobody else
gate_private.count_upstream_change(p_account text) returns void; nobody else
gate_private.counter_goes_on(p_passkey gate.passkey, p_counter bigint) returns boolean; nobody else
gate_private.counts_moved(p_action gate.action, p_counted jsonb) returns boolean; nobody else
gate_private.counts_still(p_action gate.action) returns boolean; nobody else
gate_private.credential_of(p_row gate.action, p_voter text, p_power text, p_api_key bytea, p_session bytea, p_token bytea, OUT strength_max text, OUT age_hours integer, OUT api_key_id text, OUT actor text, OUT decided_by text, OUT is_lost boolean) returns record; nobody else
gate_private.curriculum_obstacle(p_account text, p_slug text, p_base bigint) returns text; nobody else
gate_private.customer_of(p_kind text, p_payload json) returns text; nobody else
gate_private.delegation_data(p_delegation gate.delegation) returns jsonb; nobody else
gate_private.delegation_notice(p_account text, p_delegation text, p_member text) returns jsonb; nobody else
gate_private.delivered_data(p_account text, p_id bigint, p_step text) returns jsonb; nobody else
gate_private.demands_passkey(p_account text) returns boolean; nobody else
gate_private.directory_digest(p_user gate.directory_user) returns text; nobody else
gate_private.draw_mandate(p_account text, p_member_id text, p_key_id text, p_kind text, p_use jsonb, p_policy_version bigint, p_action bigint) returns boolean; nobody else
gate_private.duplicate_of(p_account text, p_member_id text, p_kind text, p_payload text, p_recipients bytea) returns bigint; nobody else
gate_private.edit(p_row gate.action, p_edit jsonb, p_actor text) returns gate.action; nobody else
gate_private.editable_of(p_row gate.action) returns text[]; nobody else
gate_private.end_delegation(p_delegation gate.delegation, p_actor text, p_reason text, p_event uuid) returns void; nobody else
gate_private.end_grant(p_grant gate.app_grant, p_actor text, p_reason text) returns void; nobody else
gate_private.end_grants(p_account text, p_member text, p_actor text, p_reason text) returns void; nobody else
gate_private.end_mandate(p_account text, p_id bigint, p_actor text) returns boolean; nobody else
gate_private.end_mandates(p_account text, p_actor text) returns void; nobody else
gate_private.end_push_device(p_device gate.push_device, p_event uuid, p_actor text, p_reason text) returns void; nobody else
gate_private.end_rights(p_account text, p_member text, p_actor text) returns jsonb; nobody else
gate_private.end_sessions(p_account text, p_holder text) returns void; nobody else
gate_private.endpoint_data(p_endpoint gate.endpoint) returns jsonb; nobody else
gate_private.entry(p_event uuid, p_kind text, p_action bigint, p_tail text) returns gate.ledger; nobody else
gate_private.entry_tail(p_actor text, p_api_key_id text, p_kind text, p_data jsonb, p_payload_digest text DEFAULT NULL::text) returns text; nobody else
gate_private.epoch_path_parts(p_index bigint, p_size bigint) returns bytea; nobody else
gate_private.erase_action(p_account text, p_id bigint, p_reason text, p_actor text, p_event uuid) returns gate.action; nobody else
gate_private.event_id(p_account text, p_of text) returns text; nobody else
gate_private.event_type(p_kind text, p_entry text) returns text; nobody else
gate_private.expire(p_account text, p_id bigint, p_event uuid) returns gate.action; nobody else
gate_private.follow_role(p_settings gate.company_sign_in, p_subject text, p_mailbox text, p_role text, p_identity text, p_admin text) returns text; nobody else
gate_private.forget_secrets(p_account text, p_integration text) returns void; nobody else
gate_private.given_curriculum(p_account text, p_curriculum jsonb) returns gate.curriculum; nobody else
gate_private.given_up(p_state text, p_otherwise text) returns text; nobody else
gate_private.glass_event(p_uuid uuid) returns uuid; nobody else
gate_private.glass_notice(p_account text, p_id bigint) returns jsonb; nobody else
gate_private.grant_data(p_grant gate.app_grant) returns jsonb; nobody else
gate_private.group_external_digest(p_group gate.member_group) returns text; nobody else
gate_private.group_name_digest(p_group gate.member_group) returns text; nobody else
gate_private.has_directory(p_account text) returns boolean; nobody else
gate_private.identity_digest(p_member gate.member) returns text; nobody else
gate_private.identity_of(p_via text) returns text; nobody else
gate_private.is_active_member(p_account text, p_member text) returns boolean; nobody else
gate_private.is_barred(p_row gate.action, p_member text) returns boolean; nobody else
gate_private.is_call_asked(p_account text, p_binding bytea, p_required text) returns boolean; nobody else
gate_private.is_company_only(p_account text) returns boolean; nobody else
gate_private.is_deputy(p_account text, p_deputy text, p_for text, p_kind text) returns boolean; nobody else
gate_private.is_grant_in_force(p_grant gate.app_grant) returns boolean; nobody else
gate_private.is_host_lost(p_host text, p_dead_ms integer) returns boolean; nobody else
gate_private.is_in_force(p_delegation gate.delegation) returns boolean; nobody else
gate_private.is_key_in_force(p_revoked_at timestamp with time zone, p_expires_at timestamp with time zone) returns boolean; nobody else
gate_private.is_kind_in_force(p_account text, p_kind text, p_version integer) returns boolean; nobody else
gate_private.is_mandate_asked(p_account text, p_scope bytea) returns boolean; nobody else
gate_private.is_noted(p_account text, p_event uuid) returns boolean; nobody else
gate_private.is_of_directory(p_account text, p_group text) returns boolean; nobody else
gate_private.is_of_key(p_account text, p_session bytea) returns boolean; nobody else
gate_private.is_rule_shown(p_stored json, p_shown text) returns boolean; nobody else
gate_private.is_shared(p_account text, p_member_id text, p_key_id text) returns boolean; nobody else
gate_private.is_within(p_strength text, p_max text) returns boolean; nobody else
gate_private.iso(p_at timestamp with time zone) returns text; nobody else
gate_private.issue_app_token(p_grant gate.app_grant, p_powers text[], p_key text, p_last4 text, p_hash bytea, p_refresh bytea, p_lasts_ms bigint, p_refresh_ms bigint, p_event uuid) returns void; nobody else
gate_private.keep_admin_mailbox() returns trigger; nobody else
gate_private.keep_app_client(p_client text) returns void; nobody else
gate_private.keep_asker(p_mailbox bytea, p_asker bytea) returns void; nobody else
gate_private.keep_channel(p_row gate.action, p_channel text) returns bytea; nobody else
gate_private.keep_identities() returns trigger; nobody else
gate_private.keep_identity(p_before gate.member, p_via text, p_old text, p_new text, p_now timestamp with time zone) returns void; nobody else
gate_private.keep_key(p_account text, p_operation text, p_key uuid, p_request bytea, p_action bigint) returns void; nobody else
gate_private.keep_mailbox(p_account text, p_holder text, p_email text) returns void; nobody else
gate_private.keep_member_mailbox() returns trigger; nobody else
gate_private.keep_teams_bot() returns trigger; nobody else
gate_private.key_holds(p_key gate_private.api_key_hash) returns boolean; nobody else
gate_private.key_name(p_account text, p_key text) returns text; nobody else
gate_private.keys_beside(p_account text, p_key text) returns text[]; nobody else
gate_private.keys_of_family(p_account text, p_family text) returns text[]; nobody else
gate_private.lay_out(p_account text, p_id bigint, p_channel text, p_slice_max integer) returns void; nobody else
gate_private.link_by_directory(p_settings gate.company_sign_in, p_subject text, p_external text, p_identity text) returns void; nobody else
gate_private.link_by_mailbox(p_settings gate.company_sign_in, p_subject text, p_mailbox text, p_identity text) returns void; nobody else
gate_private.link_identity(p_account text, p_issuer text, p_identity text, p_subject text, p_member text, p_admin text, p_actor text, p_event uuid) returns text; nobody else
gate_private.link_state(p_link gate_private.sign_in_link) returns text; nobody else
gate_private.listed_tools(p_tools text[], p_definitions text[]) returns TABLE(tool text, definition text, hash text); nobody else
gate_private.lock_head(p_account text) returns gate.ledger_head; nobody else
gate_private.lowered_at(p_row gate.action) returns text; nobody else
gate_private.mailbox_age_hours(p_account text, p_member_id text, p_via text) returns integer; nobody else
gate_private.mailbox_digest(p_admin gate.admin) returns text; nobody else
gate_private.mailbox_hash(p_email text) returns bytea; nobody else
gate_private.make_executed(p_head gate.ledger_head, p_account text, p_entry_kind text, p_actor text, p_api_key_id text, p_row jsonb) returns gate.action; nobody else
gate_private.make_link(p_token bytea, p_account text, p_mailbox bytea, p_lasts_ms bigint) returns boolean; nobody else
gate_private.mandate_actor(p_mandate gate.mandate, p_session bytea, p_power text) returns text; nobody else
gate_private.masked(p_via text, p_identity text) returns text; nobody else
gate_private.may_approve(p_row gate.action, p_member text, p_for text DEFAULT NULL::text) returns boolean; nobody else
gate_private.may_be_asked(p_row gate.action, p_member text) returns boolean; nobody else
gate_private.may_break_glass(p_row gate.action, p_member text) returns boolean; nobody else
gate_private.may_propose_rule_change(p_account text, p_session bytea, p_member text, p_payload jsonb, p_rule jsonb) returns boolean; nobody else
gate_private.minted_data(p_key gate.api_key, p_hash bytea) returns jsonb; nobody else
gate_private.minter_of(p_account text, p_actor text) returns text; nobody else
gate_private.miscounted_calls(p_account text) returns bigint; nobody else
gate_private.module_titles_digest(p_curriculum gate.curriculum) returns text; nobody else
gate_private.name_key(p_key gate_private.api_key_hash) returns void; nobody else
gate_private.named_key(p_account text, p_hash bytea) returns text; nobody else
gate_private.newest_kind(p_account text, p_kind text) returns gate.kind; nobody else
gate_private.note(p_account text, p_event uuid, p_kind text, p_action bigint, p_actor text, p_api_key_id text, p_data jsonb, p_payload_digest text DEFAULT NULL::text) returns timestamp with time zone; nobody else
gate_private.note_call_change() returns trigger; nobody else
gate_private.note_change(p_account text, p_event uuid, p_kind text, p_action bigint, p_actor text, p_api_key_id text, p_data jsonb) returns timestamp with time zone; nobody else
gate_private.note_curriculum(p_stored gate.curriculum, p_change text, p_actor text, p_event uuid) returns void; nobody else
gate_private.note_digest(p_policy gate.policy) returns text; nobody else
gate_private.note_endpoint(p_account text, p_endpoint text, p_change text, p_actor text, p_event uuid) returns void; nobody else
gate_private.note_group(p_account text, p_group text, p_change text, p_actor text, p_event uuid) returns void; nobody else
gate_private.note_provider_change(p_account text, p_provider text, p_change text) returns void; nobody else
gate_private.note_unasked(p_account text, p_id bigint) returns void; nobody else
gate_private.note_unsealed() returns trigger; nobody else
gate_private.note_upstream_rule(p_account text, p_event uuid, p_actor text, p_upstream text, p_tool text, p_rule text) returns void; nobody else
gate_private.of_channel(p_row gate.action, p_channel text, OUT members text[], OUT channels text[], OUT addresses text[]) returns SETOF record; nobody else
gate_private.open_share_left(p_account text, p_member_id text, p_key_id text, p_open_max integer) returns boolean; nobody else
gate_private.passkey_name_digest(p_passkey gate.passkey) returns text; nobody else
gate_private.passkey_strength(p_passkey gate.passkey) returns text; nobody else
gate_private.payload_digest(p_salt bytea, p_payload text) returns text; nobody else
gate_private.person_of(p_account text, p_member text) returns text; nobody else
gate_private.power_to_ask(p_hash bytea, p_kind text) returns text; nobody else
gate_private.proving_seal(p_account text, p_seq bigint, OUT seal gate.ledger_seal, OUT epoch bigint, OUT proves_from bigint) returns record; nobody else
gate_private.put_into_use(p_account text, p_integration text) returns gate.integration; nobody else
gate_private.queue_events(p_head gate.ledger_head, p_entries gate.ledger[]) returns void; nobody else
gate_private.queue_message_updates() returns trigger; nobody else
gate_private.queue_sealed(p_account text, p_size bigint, p_note text) returns void; nobody else
gate_private.reach_data(p_row gate.action) returns jsonb; nobody else
gate_private.reads_mailbox(p_account text, p_holder text, p_mailbox bytea) returns boolean; nobody else
gate_private.recipients_hash(p_members text[], p_channels text[], p_addresses text[]) returns bytea; nobody else
gate_private.recipients_of_edit(p_row gate.action, p_channel text) returns bytea; nobody else
gate_private.record_slices(p_account text, p_id bigint, p_records jsonb) returns boolean; nobody else
gate_private.refuse_change() returns trigger; nobody else
gate_private.refuse_seal_change() returns trigger; nobody else
gate_private.refuse_unarchived() returns trigger; nobody else
gate_private.remove_group(p_account text, p_actor text, p_group text, p_event uuid) returns text; nobody else
gate_private.replay(p_account text, p_operation text, p_key uuid, p_request bytea, OUT outcome text, OUT action_id bigint) returns record; nobody else
gate_private.require_admin(p_account text, p_session bytea, p_power text DEFAULT NULL::text) returns text; nobody else
gate_private.require_admin_key(p_key gate_private.api_key_hash, p_power text) returns text; nobody else
gate_private.require_fields(p_given jsonb, p_read jsonb) returns void; nobody else
gate_private.require_key(p_account text, p_hash bytea, p_power text, p_member text DEFAULT NULL::text, p_kind text DEFAULT NULL::text) returns gate_private.api_key_hash; nobody else
gate_private.require_narrower(p_row gate.action, p_made gate.action) returns void; nobody else
gate_private.require_session(p_account text, p_token bytea, OUT admin_id text, OUT member_id text) returns record; nobody else
gate_private.require_within(p_key gate.api_key, p_session bytea) returns void; nobody else
gate_private.role_data(p_admin gate.admin) returns jsonb; nobody else
gate_private.seat_of(p_voters jsonb, p_voter text) returns text; nobody else
gate_private.seen_length(p_text text) returns integer; nobody else
gate_private.session_cap(p_account text, p_member text, p_session bytea) returns text; nobody else
gate_private.session_holder(p_account text, p_token bytea, OUT admin_id text, OUT role text, OUT member_id text) returns record; nobody else
gate_private.set_asked(p_account text, p_id bigint, p_required text, p_via text, p_at timestamp with time zone, p_due_ms integer) returns gate.action; nobody else
gate_private.set_declared() returns trigger; nobody else
gate_private.set_subject() returns trigger; nobody else
gate_private.settle_slices(p_account text, p_id bigint, p_result jsonb) returns boolean; nobody else
gate_private.settles_after_hours(p_account text) returns numeric; nobody else
gate_private.stands_for(p_session gate_private.session, p_holder text) returns boolean; nobody else
gate_private.store_key(p_key gate.api_key, p_hash bytea, p_family text, p_actor text, p_event uuid) returns void; nobody else
gate_private.store_policy(p_account text, p_actor text, p_base bigint, p_document json, p_kinds text[], p_note text, p_restores bigint, p_event uuid, p_action bigint, p_also jsonb) returns bigint; nobody else
gate_private.store_signing(p_account text, p_key text, p_signing json) returns void; nobody else
gate_private.strength_cap(p_account text, p_member_id text, p_via text) returns text; nobody else
gate_private.subject_of(p_kind text, p_payload json) returns text; nobody else
gate_private.take_approval(p_row gate.action, p_voter text, p_given jsonb, p_key text, p_age_hours integer, p_signed json) returns gate.approval; nobody else
gate_private.take_passkey(p_row gate.action, p_member text, p_decision text, p_digest text, p_card bytea, p_passkey jsonb, OUT problem text, OUT strength_max text, OUT evidence json) returns record; nobody else
gate_private.tell_member(p_account text, p_member text, p_identity text, p_next text, p_is_first boolean, p_actor text) returns void; nobody else
gate_private.tell_of_passkey(p_account text, p_member text, p_next text, p_actor text) returns void; nobody else
gate_private.text_digest(p_uuid uuid, p_text text) returns text; nobody else
gate_private.title_digest(p_curriculum gate.curriculum) returns text; nobody else
gate_private.tool_tail(p_is_denied boolean, p_member_id text, p_key_id text, p_member text, p_tier text, p_policy_version bigint, p_uuid uuid, p_payload text, p_salt bytea, p_input text, p_rule text, p_reason text, p_code text, p_needs jsonb) returns text; nobody else
gate_private.turn_endpoint(p_account text, p_endpoint text, p_reason text, p_actor text, p_event uuid) returns text; nobody else
gate_private.upstream_address_digest(p_stored gate.upstream) returns text; nobody else
gate_private.upstream_data(p_stored gate.upstream) returns jsonb; nobody else
gate_private.use_of(p_provider text) returns text; nobody else
gate_private.use_passkey_nonce(p_nonce bytea, p_purpose text, p_account text, p_member text, p_action bigint) returns boolean; nobody else
gate_private.wake_sender(p_account text) returns void; nobody else
gate_private.wake_step(p_uuid uuid, p_due_ms integer) returns text; nobody else
gate_private.withdraw_requests() returns trigger; nobody else
gate_private.without_field(p_value jsonb, p_at text[]) returns jsonb; nobody else
