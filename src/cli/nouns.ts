import { accountVerbs } from './account.ts'
import { actionVerbs } from './action.ts'
import { certificationVerbs } from './certification.ts'
import { curriculumVerbs } from './curriculum.ts'
import { doctor } from './doctor.ts'
import { keyVerbs } from './key.ts'
import { ledgerVerbs } from './ledger.ts'
import { memberVerbs } from './member.ts'
import { migrateDatabase } from './migrate.ts'
import { policyVerbs } from './policy.ts'
import { repair } from './repair.ts'
import { type Nouns } from './usage.ts'

/** Every verb of the command line. A new one is its entry in its noun's table. */
export const nouns: Nouns = {
  migrate: { '': migrateDatabase },
  account: accountVerbs,
  member: memberVerbs,
  curriculum: curriculumVerbs,
  certification: certificationVerbs,
  key: keyVerbs,
  policy: policyVerbs,
  action: actionVerbs,
  ledger: ledgerVerbs,
  doctor: { '': doctor },
  repair: { '': repair },
}
