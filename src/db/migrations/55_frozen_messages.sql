-- The hash of a consent request's Slack workspace is in the ledger from now on: entry consent_message_frozen. Hashes from before
-- have no entry, so they are dropped: those requests are decided on their page or in the console.

alter table gate.consent_request drop column workspace;
-- SHA-256 over the Slack workspace that the message was sent in and the token of its buttons, which only that message has then.
alter table gate.consent_request add column workspace bytea;
