import type { Deps } from '../../deps.ts'

export const scimPath = '/scim/v2'

/** Where the directory of an account reaches the gate: its token says which account. */
export const scimUrl = ({ publicUrl }: Pick<Deps, 'publicUrl'>): string =>
  `${publicUrl().replace(/(?<!\/)\/+$/, '')}${scimPath}`
