import type { KindVersionRow } from '../../db/queries/accounts/declared-kinds.ts'

/** A declared kind in a list of the command line and of the administration API. Pure. */
export const viewKind = ({ kind, version, document, created_at, retired_at }: KindVersionRow) => ({
  kind,
  version,
  title: document.title,
  executor: document.executor.type,
  created_at,
  retired_at,
})
