-- Auditors: administrators' colleagues who read everything of the account and change nothing.

-- What this person may do. It never changes: another role is another row.
alter table gate.admin add column role text not null default 'administrator';
alter table gate.admin add constraint admin_role_known check (role in ('administrator', 'auditor'));
