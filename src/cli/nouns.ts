import type { Nouns } from './usage.ts'

/**
 * Every noun with its verbs; a noun without verbs has one verb without a name. Each noun is loaded on demand: some need
 * Temporal's client, which takes longer to load than most verbs take to run.
 */
export const nouns: Nouns = {
  migrate: async () => ({ '': (await import('./migrate.ts')).migrateDatabase }),
  account: async () => (await import('./account.ts')).accountVerbs,
  admin: async () => (await import('./admin.ts')).adminVerbs,
  member: async () => (await import('./member.ts')).memberVerbs,
  curriculum: async () => (await import('./curriculum.ts')).curriculumVerbs,
  certification: async () => (await import('./certification.ts')).certificationVerbs,
  key: async () => (await import('./key.ts')).keyVerbs,
  policy: async () => (await import('./policy.ts')).policyVerbs,
  integration: async () => (await import('./integration.ts')).integrationVerbs,
  secrets: async () => (await import('./secrets.ts')).secretsVerbs,
  conversation: async () => (await import('./conversation.ts')).conversationVerbs,
  action: async () => (await import('./action.ts')).actionVerbs,
  ledger: async () => (await import('./ledger.ts')).ledgerVerbs,
  doctor: async () => ({ '': (await import('./doctor.ts')).doctor }),
  repair: async () => ({ '': (await import('./repair.ts')).repair }),
}
