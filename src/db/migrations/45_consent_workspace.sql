-- The Slack workspace of a consent request, so that nobody who writes the row can name another one.

alter table gate.consent_request drop column team;
-- SHA-256 over the Slack workspace that the message was sent in and the token of its buttons, which only that message has then.
alter table gate.consent_request add column workspace bytea;
