/** What a page may say that was done on the page before. A closed list: nothing that was entered comes along. */
export const saidOf = {
  session_ended: 'The session has ended.',
} as const

export type Said = keyof typeof saidOf

export const isSaid = (text: string): text is Said => Object.hasOwn(saidOf, text)
