-- Microsoft Teams: an account can connect a room, to which its broadcasts are posted.

alter table gate.integration drop constraint integration_provider_known;
alter table gate.integration add constraint integration_provider_known
  check (provider in ('slack', 'resend', 'smtp', 'teams', 'stripe'));

-- Posts in the room: one, or none.
alter table gate.action add column reach_teams integer not null default 0
  constraint action_reach_teams_bound check (reach_teams in (0, 1));
