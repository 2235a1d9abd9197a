-- The message in Slack that carries a token, as `USER TIMESTAMP`: a press that names no token is told by it to its request.
alter table gate_private.consent_token add column slack_message text;
create index consent_token_by_message on gate_private.consent_token (slack_message) where slack_message is not null;
