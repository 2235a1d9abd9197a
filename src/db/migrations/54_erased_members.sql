-- Members who were erased.

alter table gate.member
  -- When name, identities and words of the member were erased. The row stays: entries name it.
  add column erased_at timestamptz,
  add constraint member_erased_whole check (
    erased_at is null or name = 'erased' and email is null and slack is null and not is_active);
