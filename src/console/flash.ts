/** Messages that the next page shows once after a change. A closed list: they never repeat user input. */
export const flashMessages = {
  account_resumed: 'Account resumed.',
  account_suspended: 'Account suspended.',
  action_approved: 'Proposal approved.',
  action_cancelled: 'Proposal cancelled.',
  action_declined: 'Proposal declined. Nothing was executed.',
  action_denied: 'Denied: your tier or the policy changed. Nothing was executed.',
  admin_added: 'Administrator added. They sign in with a link that they request on the sign-in page.',
  admin_removed: 'Administrator removed. Their sessions have ended.',
  app_ended: 'App disconnected. Its requests are now refused.',
  already_done: 'Already done. This form was sent before, so it was not repeated.',
  curriculum_added: 'Curriculum added.',
  curriculum_changed: 'Curriculum changed. It applies from now on.',
  curriculum_restored: 'Curriculum put in force again.',
  curriculum_retired: 'Curriculum retired. It no longer earns a tier.',
  key_shown_once:
    'Already done. This key was created, and it is shown only once. If you did not copy it, revoke it and mint a new key.',
  key_limits_set: 'Key limits saved. They apply within a minute.',
  key_revoked: 'Key revoked. Requests with it are now refused.',
  kind_declared: 'Kind declared. Agents can propose it now.',
  kind_retired: 'Kind retired. It can no longer be proposed or confirmed.',
  mandate_ended: 'Mandate ended. Its calls are asked about again.',
  member_activated: 'Member activated.',
  member_added: 'Member added.',
  member_changed: 'Member updated.',
  members_imported: 'Members imported.',
  member_deactivated: 'Member deactivated.',
  pass_recorded: 'Pass recorded.',
  passes_revoked: 'Passes revoked.',
  identity_confirmed: 'Change confirmed. Decisions through this identity now count in full.',
  integration_disconnected:
    'Provider disconnected. Its credential was deleted here, but still works at the provider until you revoke it there.',
  policy_set: 'Policy set. It applies from now on.',
  preview_stopped: 'Preview stopped.',
  preview_stopping: 'The preview is no longer reachable. Its worker is still stopping it.',
  secret_shown_once:
    'Already done. This secret was made, and it is shown only once. If you did not copy it, make a new one.',
  session_ended: 'Session ended.',
  tier_cleared: 'Tier override removed. The tier now follows the certifications.',
  tier_set: 'Tier set.',
  tool_approved: 'Tool approved. Agents can call it as its rule says.',
  tool_rule_set: 'Rule set. It applies from now on.',
  time_zone_set: 'Time zone saved.',
  upstream_changed: 'Tools read. Some changed since their review: they are in quarantine.',
  upstream_read: 'Tools read.',
  upstream_removed: 'MCP server removed.',
  upstream_skipped: 'The tools were not read: the server was changed meanwhile, or the account is suspended.',
  upstream_unread: 'The tools could not be read. The reason is below.',
} as const

export type Flash = keyof typeof flashMessages

export const isFlash = (text: string): text is Flash => Object.hasOwn(flashMessages, text)
