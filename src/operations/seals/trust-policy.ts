import type { Deps } from '../../deps.ts'
import { publishedPolicy } from '../../seals/published-policy.ts'

/** The trust policy that files of this gate are checked with. @throws GateError `not_found` where this process has no key of the log */
export const trustPolicy = ({
  db,
  config,
  publicUrl,
}: Pick<Deps, 'db' | 'config' | 'publicUrl'>): Promise<string> => publishedPolicy(db, config, publicUrl())
