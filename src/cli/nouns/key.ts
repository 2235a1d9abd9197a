import { kindsOf } from '../../actions/account-kinds.ts'
import { limits } from '../../limits.ts'
import {
  actionsPerDay,
  adminCallsPerDay,
  centsPerDay,
  type MemberName,
  instant,
  kindNames,
  line,
  memberName,
  network,
  powers,
} from '../../operations/entered-fields.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import { keyId } from '../../operations/ids.ts'
import type { MintedKey } from '../../operations/keys/new-key.ts'
import { mintKey } from '../../operations/keys/mint-key.ts'
import { viewKey } from '../../operations/keys/key-view.ts'
import { rotateKey } from '../../operations/keys/rotate-key.ts'
import { revokeKey } from '../../operations/keys/revoke-key.ts'
import { readKeys } from '../../operations/keys/list-keys.ts'
import { adminWarning, isAdminPower } from '../../keys/admin-powers.ts'
import { rightsSentence } from '../../keys/rights.ts'
import { mintRunnerKey } from '../../operations/runner-calls/runner-keys.ts'
import { kindsForKeys } from '../../operations/kinds/declared-kinds.ts'
import { account } from '../account-option.ts'
import { type CliContext, adminContextOf } from '../context.ts'
import { UsageError, defineVerb, flag, optional, repeatable, required } from '../verb.ts'

export const keyVerbs = {
  mint: defineVerb({
    summary: 'Create an API key and show it once. Without --powers it can read, propose and confirm',
    options: {
      account,
      name: optional(
        'NAME',
        line(limits.nameCharsMax),
        'Name of the agent, which people see with its actions',
        'support agent',
      ),
      label: optional(
        'TEXT',
        line(limits.nameCharsMax),
        'For a runner key: the machine or project that uses it',
        "Ada's laptop",
      ),
      runner: flag('The key of an agent runner: it asks about the tool calls of one member, nothing else'),
      expires: optional('ISO', instant, 'When it stops working; if absent: never', '2030-01-31T12:00:00Z'),
      actor: repeatable(
        'EMAIL',
        memberName,
        'A member it may act for; if absent: every member',
        'ada@my.example',
      ),
      powers: optional(
        'POWER,…',
        powers,
        'What it may do; if absent: read, propose and confirm. admin:… administrates the account',
        'read,propose',
      ),
      kinds: optional('KIND,…', kindNames, 'Kinds of action it may use; if absent: all', 'broadcast,refund'),
      'actions-per-day': optional(
        'N',
        actionsPerDay,
        'Confirmed actions in 24 hours; if absent: no limit',
        '50',
      ),
      'cents-per-day': optional(
        'usd=N,…',
        centsPerDay,
        'Cents in 24 hours by currency; others have the limit of the account’s currency, or the lowest',
        'usd=100000,eur=90000',
      ),
      'admin-calls-per-day': optional(
        'N',
        adminCallsPerDay,
        'Calls of the administration API in 24 hours; if absent, of a key with such powers: 1000',
        '200',
      ),
      network: repeatable('CIDR', network, 'A network it may be used from; if absent: any', '10.0.0.0/8'),
    },
    exactlyOne: [['name', 'label']],
    shown: ['powers'],
    async run(context, { account: of, runner, label, name, expires, actor, ...limited }) {
      if (limited.network.length > limits.keyNetworksMax)
        throw new UsageError(`--network can be given at most ${limits.keyNetworksMax} times`)
      const admin = adminContextOf(context, of)
      if (runner) {
        const runnerKey = {
          ...runnerKeyOf({ label, actor, ...limited }),
          expiresAt: expires ?? null,
          networks: limited.network,
          secretsKeys: context.ownSecretsKeys(),
        }
        return shownOnce(await mintRunnerKey(admin, runnerKey))
      }
      if (name === undefined) throw new UsageError('--label is for a runner key. Add --runner, or use --name')
      const minted = await mintKey(admin, {
        name,
        expiresAt: expires ?? null,
        actors: actor,
        rights: {
          ...(limited.powers ? { powers: limited.powers } : {}),
          kinds: limited.kinds ? await knownKinds(context, of, limited.kinds) : null,
          networks: limited.network.length === 0 ? null : limited.network,
          actionsPerDay: limited['actions-per-day'] ?? null,
          centsPerDay: limited['cents-per-day'] ?? null,
          adminCallsPerDay: limited['admin-calls-per-day'] ?? null,
        },
      })
      if (minted.rights.powers.some(isAdminPower)) context.say(adminWarning)
      return shownOnce(minted)
    },
  }),

  list: defineVerb({
    summary: 'List all keys, without secrets, with what each confirmed in the last 24 hours',
    options: { account },
    // The name is last: it may be long, and goes on in the next line. The powers of a runner's key say its use.
    columns: ['key_id', 'last4', 'state', 'used_today', 'powers', 'name'],
    empty: (of) => `No keys. Create one with \`gate key mint${of} --name NAME\`.`,
    async run(context, given) {
      const keys = await readKeys(adminContextOf(context, given.account))
      return keys.map(viewKey)
    },
  }),

  rotate: defineVerb({
    summary: 'Replace a key with a new one with the same rights; the old key expires after the overlap',
    options: {
      account,
      key: required('KEY_ID', keyId, 'Id of the key', 'key_7hQ2mWzX0aLk4RtY'),
      overlap: optional(
        'HOURS',
        wholeNumber(0, limits.keyOverlapHoursMax),
        'Hours for which the old key still works; if absent: 24',
        '24',
      ),
    },
    async run(context, given) {
      const admin = adminContextOf(context, given.account)
      const { former, ...made } = await rotateKey(admin, given.key, {
        overlapHours: given.overlap,
        secretsKeys: context.ownSecretsKeys(),
      })
      return {
        key_id: made.keyId,
        api_key: made.apiKey,
        rotated_from: former.keyId,
        old_expires_at: former.expiresAt,
      }
    },
  }),

  revoke: defineVerb({
    summary: 'Revoke a key: takes effect with the next request',
    options: { account, key: required('KEY_ID', keyId, 'Id of the key', 'key_7hQ2mWzX0aLk4RtY') },
    async run(context, given) {
      const { key_id, revoked_at } = await revokeKey(adminContextOf(context, given.account), given.key)
      return { key_id, revoked_at }
    },
  }),
}

/** The answer to a new key. What the key may do stands before it: who reads it first can still leave the key where it is. */
const shownOnce = ({ keyId, apiKey, rights }: MintedKey) => ({
  may: rightsSentence(rights),
  key_id: keyId,
  api_key: apiKey,
})

/** @throws UsageError where the account has no such kind */
async function knownKinds(context: CliContext, of: string, given: string[]): Promise<string[]> {
  const known = kindsForKeys(await kindsOf(context.db()).now(of))
  if (given.length > 0 && given.every((kind) => known.includes(kind))) return given
  throw new UsageError(`--kinds must be one or more of ${known.join(', ')}`)
}

const agentOptions = ['powers', 'kinds', 'actions-per-day', 'cents-per-day'] as const

/** What `--runner` needs. @throws UsageError where something is missing, or does not go with it */
function runnerKeyOf(given: {
  label: string | undefined
  actor: MemberName[]
  [agentOption: string]: unknown
}): { label: string; member: MemberName } {
  const foreign = agentOptions.find((option) => given[option] !== undefined)
  if (foreign !== undefined)
    throw new UsageError(
      `--${foreign} does not go with --runner: a runner key can only ask about tool calls. Leave it out`,
    )
  const { label, actor } = given
  if (label === undefined) throw new UsageError('--name does not go with --runner. Use --label')
  const [member, ...others] = actor
  if (!member || others.length > 0)
    throw new UsageError('--runner needs exactly one --actor: the member whose agent the runner is')
  return { label, member }
}
