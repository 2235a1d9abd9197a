/** What a page may say that was done on the page before. A closed list: nothing that was entered comes along. */
export const saidOf = {
  session_ended: 'The session has ended.',
  policy_set: 'The policy is set: it holds from now on.',
  integration_disconnected:
    'Disconnected, and the credential is deleted here. At the provider it goes on working until it is revoked there.',
} as const

export type Said = keyof typeof saidOf

export const isSaid = (text: string): text is Said => Object.hasOwn(saidOf, text)
