-- Receipts of consent: what they say that only the ledger said, and the keys that sign them.

alter table gate.action
  -- The member's tier and the version of the policy when the consent was claimed. Null: nobody confirmed it, it was denied
  -- after that, or it was confirmed before receipts were given.
  add column consent_tier text,
  add column consent_policy_version bigint,
  add constraint action_consent_tier_known check (consent_tier in ('read_only', 'guarded_write', 'write'));

-- A key that signs receipts, of the whole service. A consent's receipt is signed by the last key whose time had come then.
create table gate_private.receipt_key (
  -- The thumbprint of the public key (RFC 7638).
  kid text not null,
  public_key bytea not null,
  -- The private key, encrypted as credentials are: under a data key of its own, wrapped under the key `secrets_kid` of
  -- SECRETS_KEYS.
  ciphertext bytea not null,
  wrapped_key bytea not null,
  secrets_kid text not null,
  signs_from timestamptz not null,
  created_at timestamptz not null default clock_timestamp(),
  constraint receipt_key_pkey primary key (kid),
  constraint receipt_key_signs_from_key unique (signs_from),
  constraint receipt_key_kid_form check (kid ~ '^[A-Za-z0-9_-]{43}$'),
  constraint receipt_key_public_length check (length(public_key) = 32)
);
