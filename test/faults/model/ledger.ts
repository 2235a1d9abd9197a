import { createHash } from 'node:crypto'
import { toolNeeds } from '../workload/policies.ts'
import type { Demand, Entry, Row, Stored } from './record.ts'
import { grouped } from './writes.ts'

const strengths = ['agent_attested', 'chat', 'page', 'passkey']
const tiers = ['read_only', 'guarded_write', 'write']
const reaches = (scale: string[], has: string, needs: string) => scale.indexOf(has) >= scale.indexOf(needs)

/** The chain, and what it says in its order: each confirm met the tier, the policy, the keys and the switch of its moment. */
export function judgeLedgers({ rows, entries, policies }: Stored, demand: Demand): void {
  const rowsOf = grouped(rows, ({ account_id }) => account_id)
  for (const [account, chain] of grouped(entries, ({ account_id }) => account_id)) {
    judgeChain(account, chain, demand)
    judgeOrder(account, chain, rowsOf.get(account) ?? [], policies, demand)
  }
}

/** Computed here and not by the product: SHA-256 over the one before, `account seq at`, a newline and the entry. */
function judgeChain(account: string, chain: Entry[], demand: Demand): void {
  let prev = Buffer.alloc(32)
  for (const [index, { seq, at, text, hash }] of chain.entries()) {
    prev = createHash('sha256')
      .update(prev)
      .update(`${account} ${index + 1} ${at}\n${text}`)
      .digest()
    const isWhole = seq === index + 1 && hash === prev.toString('hex')
    demand(isWhole, 'the chain is whole', () => [account, seq, index + 1])
    if (!isWhole) return
  }
}

/** What an account's entries up to one say of it. */
interface Moment {
  policy: any
  policyVersion: number
  tiers: Map<string, string>
  revoked: Set<string>
  isSuspended: boolean
  confirmed: Set<number>
}

function judgeOrder(
  account: string,
  chain: Entry[],
  rows: Row[],
  policies: Stored['policies'],
  demand: Demand,
): void {
  const byId = new Map(rows.map((row) => [row.id, row]))
  const now: Moment = {
    policy: undefined,
    policyVersion: 1,
    tiers: new Map(),
    revoked: new Set(),
    isSuspended: false,
    confirmed: new Set(),
  }
  for (const entry of chain) {
    const { kind, data, action_id: id, key } = entry
    const name = () => [account, entry.seq, kind, data, byId.get(id ?? 0)]
    // What others approved names the key of its consent, which has an entry of its own.
    const isOfConsent = kind === 'confirmed' && data['approvals'] !== undefined
    if (key !== null && !isOfConsent && kind !== 'decision_refused' && kind !== 'write_refused')
      demand(!now.revoked.has(key), 'a revoked key changes nothing', name)
    if (kind === 'tier_set') now.tiers.set(data['member'], data['tier'])
    else if (kind === 'policy_set')
      setPolicy(now, data['version'], policies.get(`${account} ${data['version']}`))
    else if (kind === 'key_revoked') now.revoked.add(data['key'])
    else if (kind === 'account_suspended') now.isSuspended = data['suspended']
    else if (kind === 'confirmed') {
      demand(!now.confirmed.has(id!), 'an action is confirmed once', name)
      now.confirmed.add(id!)
      demand(!now.isSuspended, 'nothing is confirmed while the account is stopped', name)
      const row = byId.get(id!)
      if (row) judgeConsent(now, entry, row, demand)
    } else if (kind === 'executed' || kind === 'delivered')
      demand(now.confirmed.has(id!), 'nothing executes without a consent', name)
  }
  for (const row of rows.filter((one) => one.status === 'executed' && one.requires_confirmation))
    demand(now.confirmed.has(row.id), 'what was executed was confirmed', () => [account, row])
}

function setPolicy(now: Moment, version: number, policy: unknown): void {
  now.policy = policy
  now.policyVersion = version
}

/** The consent was strong enough, and the member's tier high enough, by the policy of that moment. */
function judgeConsent(now: Moment, entry: Entry, row: Row, demand: Demand): void {
  const { strength, tier, policy_version: version } = entry.data as Record<string, any>
  const name = () => [
    entry.account_id,
    entry.seq,
    entry.data,
    row.kind,
    row.payload,
    now.policy,
    now.tiers.get(row.member_id!),
  ]
  demand(tier === now.tiers.get(row.member_id!), 'a confirm rests on the tier of its moment', name)
  demand(version === now.policyVersion, 'a confirm rests on the policy of its moment', name)
  const needed = neededFor(now.policy, row)
  if (!needed) return
  demand(
    reaches(tiers, tier, needed.tier),
    'nothing is confirmed by a tier that the policy does not allow',
    name,
  )
  demand(reaches(strengths, strength, needed.consent), 'a consent is as strong as the policy demands', name)
}

/** Written apart from the product, for the policies of this workload. */
function neededFor(policy: any, row: Row): { tier: string; consent: string } | undefined {
  if (row.kind === 'upstream_tool') return neededForTool(row)
  const rule = policy?.kinds?.[row.kind]
  if (!rule?.bands) return rule
  const cents = Number(row.payload['total_cents'] ?? row.payload['amount_cents'])
  return rule.bands.usd.find((band: any) => band.up_to_cents === undefined || cents <= band.up_to_cents)
}

/** The policies of this workload say nothing of calls of tools: the rule of the tool does. */
function neededForTool({ payload }: Row): { tier: string; consent: string } | undefined {
  const need = toolNeeds[payload['tool'] as keyof typeof toolNeeds]
  return typeof need === 'object' ? need : undefined
}
