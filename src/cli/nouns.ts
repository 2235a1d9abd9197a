import type { Nouns } from './usage.ts'

/**
 * Every noun with its verbs; a noun without verbs has one verb without a name. Each noun is loaded on demand: some need
 * Temporal's client, which takes longer to load than most verbs take to run.
 */
export const nouns: Nouns = {
  migrate: async () => ({ '': (await import('./nouns/service/migrate.ts')).migrateDatabase }),
  account: async () => (await import('./nouns/account.ts')).accountVerbs,
  admin: async () => (await import('./nouns/admin.ts')).adminVerbs,
  company: async () => (await import('./nouns/company/company.ts')).companyVerbs,
  member: async () => (await import('./nouns/member.ts')).memberVerbs,
  curriculum: async () => (await import('./nouns/curriculum.ts')).curriculumVerbs,
  group: async () => (await import('./nouns/members/group.ts')).groupVerbs,
  delegation: async () => (await import('./nouns/members/delegation.ts')).delegationVerbs,
  certification: async () => (await import('./nouns/certification.ts')).certificationVerbs,
  key: async () => (await import('./nouns/key.ts')).keyVerbs,
  connect: async () => ({ '': (await import('./nouns/connect.ts')).connect }),
  app: async () => (await import('./nouns/app.ts')).appVerbs,
  kind: async () => (await import('./nouns/kind.ts')).kindVerbs,
  policy: async () => (await import('./nouns/policy.ts')).policyVerbs,
  upstream: async () => (await import('./nouns/upstream.ts')).upstreamVerbs,
  integration: async () => (await import('./nouns/integration.ts')).integrationVerbs,
  secrets: async () => (await import('./nouns/service/secrets.ts')).secretsVerbs,
  conversation: async () => (await import('./nouns/conversation.ts')).conversationVerbs,
  action: async () => (await import('./nouns/action.ts')).actionVerbs,
  mandate: async () => (await import('./nouns/mandate.ts')).mandateVerbs,
  endpoint: async () => (await import('./nouns/endpoint.ts')).endpointVerbs,
  hook: async () => (await import('./nouns/hook.ts')).hookVerbs,
  receipt: async () => (await import('./nouns/receipt.ts')).receiptVerbs,
  ledger: async () => (await import('./nouns/ledger.ts')).ledgerVerbs,
  verify: async () => ({ '': (await import('./nouns/verify.ts')).verify }),
  witness: async () => ({ '': (await import('./nouns/witness.ts')).witness }),
  doctor: async () => ({ '': (await import('./nouns/service/doctor.ts')).doctor }),
  repair: async () => ({ '': (await import('./nouns/service/repair.ts')).repair }),
}
