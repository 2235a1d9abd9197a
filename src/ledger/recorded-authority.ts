import type { Link } from './chain.ts'
import type { ParsedEntry } from './checker.ts'

/** What ledger entries record about one thing. `seq`: the entry that created it, or 0. `isSeen`: its row was compared. */
export interface Recorded {
  seq: number
  isSeen: boolean
  /** From when on its row may have been deleted, in milliseconds. Absent: never. */
  goneAfter?: number
}

export interface RecordedMember extends Recorded {
  isActive: boolean
  /** Name, identities and words were erased: its rows say `erased`. */
  isErased: boolean
  tier: string | null
  identityDigest: string | null
  /** The digest of whom the directory knows them as; null: it does not manage them. */
  directory: string | null
  /** E-mail and Slack, as last set; absent where no entry says whether it was. */
  identities: Map<string, RecordedIdentity>
  /** Passes by curriculum, then by module. */
  passes: Map<string, Map<number, RecordedPass>>
}

/** When it was set, and by whom; whether that counts as a change, and who confirmed it when. Times in milliseconds. */
export interface RecordedIdentity {
  at: number
  by: string
  isChange: boolean
  confirmed: { at: number; by: string } | null
}

/** Times in milliseconds. */
export interface RecordedPass {
  at: number
  latestAt: number
  isRevoked: boolean
}

export interface RecordedKey extends Recorded {
  isRevoked: boolean
  /** The rights that the entries record for the key. */
  rights: Record<string, unknown>
  keyHash: string | null
  /** The actor who minted it; where that was a key, who minted that one. */
  mintedBy: string
  nameDigest: string | null
  rotatedFrom: string | null
  /** The connected app that it is an access token of. */
  app: string | null
  family: string
}

export interface RecordedApp extends Recorded {
  data: Record<string, unknown>
  grantedBy: string
  isEnded: boolean
}

export interface RecordedAdmin extends Recorded {
  /** `administrator` where the entry names none. */
  role: string
  /** By the company's word alone. */
  isManaged: boolean
  isRemoved: boolean
  mailboxDigest: string | null
}

export interface RecordedCurriculum extends Recorded {
  isRetired: boolean
  facts: Record<string, unknown>
}

export interface RecordedKind extends Recorded {
  document: unknown
  createdBy: string
  isRetired: boolean
}

export interface RecordedPolicy extends Recorded {
  document: unknown
  noteDigest: string | null
  /** By which approvers agreed to it. */
  action: unknown
}

export interface RecordedConversation extends Recorded {
  members: Set<string>
}

export interface RecordedGroup extends Recorded {
  nameDigest: string | null
  /** The directory made it, and the digest of its own id of the group. */
  isOfDirectory: boolean
  externalDigest: string | null
  members: Set<string>
  /** When the approval of a member begins to count, if not at once. */
  countsFrom: Map<string, string>
}

export interface RecordedDelegation extends Recorded {
  at: number
  /** What its entry says of it. */
  facts: Record<string, unknown>
  endedBy: string | null
}

export interface RecordedIntegration extends Recorded {
  provider: string
  /** Whether an entry records that it was connected: by an action, or by an administrator in the console. */
  isConnected: boolean
  action: number | null
  admin: string | null
  isDisconnected: boolean
}

export interface RecordedUpstream extends Recorded {
  facts: Record<string, unknown>
  tools: Map<string, RecordedTool>
}

export interface RecordedPasskey extends Recorded {
  at: number
  /** What its entry says of it. */
  facts: Record<string, unknown>
  /** The actor of the entry; null: it was not removed. */
  removedBy: string | null
}

export interface RecordedCompany extends Recorded {
  /** What its entry says of the settings. */
  facts: Record<string, unknown>
}

export interface RecordedSubject extends Recorded {
  /** What its entry says of whom it signs in as. */
  facts: Record<string, unknown>
  isEnded: boolean
}

/** A vote of a member who was deactivated. `at` in milliseconds. */
export interface Lapse {
  member: string
  at: number
}

export interface RecordedEndpoint extends Recorded {
  /** What its last entry says of it. */
  facts: Record<string, unknown>
}

/** `reviewed`: the hash of what was reviewed. */
export interface RecordedTool {
  reviewed: string | null
  isQuarantined: boolean
  rule: unknown
}

/**
 * Members, keys, administrators and their rights in an account, as rebuilt from its ledger entries. Uses about 300 bytes of
 * memory per member, key, administrator, conversation and policy, and 100 per pass and participant; actions use none.
 */
export interface Authority {
  members: Map<string, RecordedMember>
  keys: Map<string, RecordedKey>
  apps: Map<string, RecordedApp>
  admins: Map<string, RecordedAdmin>
  curricula: Map<string, RecordedCurriculum>
  /** Declared kinds, by `kindVersionId`. */
  kinds: Map<string, RecordedKind>
  /** Policies by version. */
  policies: Map<number, RecordedPolicy>
  conversations: Map<string, RecordedConversation>
  integrations: Map<string, RecordedIntegration>
  upstreams: Map<string, RecordedUpstream>
  passkeys: Map<string, RecordedPasskey>
  /** The settings of sign-in with the company, under ''. */
  companies: Map<string, RecordedCompany>
  companyIdentities: Map<string, RecordedSubject>
  groups: Map<string, RecordedGroup>
  endpoints: Map<string, RecordedEndpoint>
  delegations: Map<string, RecordedDelegation>
  /** The digest of the account's name; null before the first entry. */
  nameDigest: string | null
  isSuspended: boolean
  /** Each time when it was suspended, in milliseconds. */
  suspensions: number[]
  /**
   * When the Stripe account last changed, in milliseconds, and how: one of these. To connect while one is connected may change nothing,
   * where it is the same account.
   */
  stripe: { at: number; change: string }[]
  /** How the requests of its keys are counted. */
  keyLimits: string
  policyVersion: number
  /** By open action: whose consent or approval of it ended with their rights, and when, in milliseconds. */
  lapses: Map<number, Lapse[]>
  /** When a mandate ended with the rights of its member. */
  endedMandates: Map<number, string>
  take(link: Link, entry: ParsedEntry): void
}
