import { type KindSecretRow, listKindSecrets } from '../../db/queries/executors/kind-secrets.ts'
import type { AccountContext } from '../admin-context.ts'

export type KindSecret = KindSecretRow

/** The secrets that sign the calls of a kind, newest first: since when and until when, never the secrets themselves. */
export const readKindSecrets = ({ db, account }: AccountContext, kind: string): Promise<KindSecret[]> =>
  listKindSecrets(db, account, kind)
