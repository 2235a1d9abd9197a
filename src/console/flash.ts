/** What a page may say that was done on the page before. A closed list: nothing that was entered comes along. */
export const flashMessages = {
  account_resumed: 'The account goes on.',
  account_suspended: 'The account is suspended.',
  action_approved: 'You approved it.',
  action_cancelled: 'The proposal is cancelled.',
  action_declined: 'You declined it. Nothing was done.',
  action_denied: 'It was denied by now, and nothing was done.',
  curriculum_added: 'The curriculum is there.',
  key_revoked: 'The key is revoked: its next request is refused.',
  member_activated: 'The member is active again.',
  member_added: 'The member is there.',
  member_changed: 'The member is changed.',
  member_deactivated: 'The member is no longer active.',
  pass_recorded: 'The pass is recorded.',
  passes_revoked: 'The passes are out of force.',
  identity_confirmed: 'Change confirmed. Decisions through it count in full.',
  integration_disconnected:
    'Disconnected, and the credential is deleted here. At the provider it goes on working until it is revoked there.',
  policy_set: 'The policy is set: it holds from now on.',
  preview_stopped: 'The preview is stopped.',
  preview_stopping: 'Nobody reaches the preview any more. Its worker is still ending it.',
  session_ended: 'The session has ended.',
  tier_cleared: 'The setting is gone: the tier follows the certificates.',
  tier_set: 'The tier is set.',
} as const

export type Flash = keyof typeof flashMessages

export const isFlash = (text: string): text is Flash => Object.hasOwn(flashMessages, text)
