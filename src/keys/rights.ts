import { upstreamKind } from '../gate/declared/upstream-call.ts'
import { formatAmount } from '../gate/money.ts'
import { defaultPolicy } from '../gate/policy.ts'
import { adminPowers } from './admin-powers.ts'

/** What an API key of an agent can do unless an administrator says otherwise: read, propose, and confirm in a member's name. */
export const agentPowers = ['read', 'propose', 'confirm'] as const

/** What a key can be given: also to execute confirmed actions, which claims them and reports their outcome. */
export const actingPowers = [...agentPowers, 'execute'] as const

/** Also to administrate the account. */
export const keyPowers = [...actingPowers, ...adminPowers] as const

/** What the key of an agent runner can do, and nothing else: ask about tool calls, for one member. */
export const runnerPower = 'runner'

/** What the token of a company's directory can do, and nothing else: keep its users and groups. */
export const directoryPower = 'directory'

export type KeyPower = (typeof keyPowers)[number] | typeof runnerPower | typeof directoryPower

/** How the requests of an account's keys are counted: by each API process alone, or by all of them together. */
export const keyLimitsOptions = ['per_process', 'shared'] as const

export type KeyLimits = (typeof keyLimitsOptions)[number]

/** The rights of a key. null: not limited. */
export interface KeyRights {
  powers: KeyPower[]
  /** The ids of the members it can act for. */
  actors: string[] | null
  /** Kinds of action. */
  kinds: string[] | null
  /** The networks its requests may come from, in CIDR form. */
  networks: string[] | null
  /** Limits in 24 hours, counted together with the keys that it was rotated from and to. */
  actionsPerDay: number | null
  /** By currency. One that is not listed has the limit of the account's currency, or else the lowest. */
  centsPerDay: Record<string, number> | null
  /** Calls of the administration API in 24 hours; absent or null: it has no power there. */
  adminCallsPerDay?: number | null
}

/** All rights of an agent, without limits. */
export const allRights: KeyRights = {
  powers: [...agentPowers],
  actors: null,
  kinds: null,
  networks: null,
  actionsPerDay: null,
  centsPerDay: null,
}

/**
 * The rights of a key in words: `Reads and proposes broadcasts and refunds for any member, at most 50 actions a day.
 * Cannot confirm.` Pure.
 * @param whom  whom it acts for, in other words than those of the administrators
 */
export function rightsSentence(
  { powers, actors, kinds, networks, ...ceilings }: KeyRights,
  whom: string = whomOf(actors),
): string {
  const from = networks === null ? [] : [`from ${inWords(networks)}`]
  if (powers.includes(runnerPower))
    return `Asks about the tool calls of an agent runner for ${[whom, ...from].join(', ')}. Cannot do anything else.`
  if (powers.includes(directoryPower))
    return 'Keeps members and groups as the directory of the company has them. Cannot do anything else.'
  const administrates = administration(powers, ceilings.adminCallsPerDay ?? null)
  const can = actingPowers.filter((power) => powers.includes(power))
  if (can.length === 0) return [administrates, ...from].join(', ').concat('. Cannot do anything else.')
  const lacks = agentPowers.filter((power) => !powers.includes(power))
  const verbs = inWords(can.map((power) => (power === 'read' ? 'reads' : `${power}s`)))
  const isReadOnly = can.length === 1 && can[0] === 'read'
  const about = isReadOnly ? '' : ` ${kinds === null ? 'every kind of action' : inWords(kinds.map(plural))}`
  const most = isReadOnly ? [] : ceilingsOf(ceilings)
  const bounds = [...most, ...from]
  const first = `${verbs}${about} for ${[whom, ...bounds].join(', ')}.`
  const cannot = lacks.length === 0 ? '' : ` Cannot ${inWords(lacks, 'or')}.`
  const acts =
    first.charAt(0).toUpperCase() + first.slice(1) + cannot + (mayClaim(powers, kinds) ? claims : '')
  return administrates === '' ? acts : `${acts} ${administrates}.`
}

/** `Administrates: members.read and members.write, at most 1000 calls a day`; empty for a key that does not. */
function administration(powers: KeyPower[], callsPerDay: number | null): string {
  const named = adminPowers.filter((power) => powers.includes(power))
  if (named.length === 0) return ''
  return `Administrates: ${inWords(named.map((power) => power.replace('admin:', '')))}, at most ${callsPerDay} calls a day`
}

const claims = ' Also claims confirmed actions whose kind is executed by claim, and reports their outcome.'

/** The agent that confirms for a member may be the executor. Only kinds that an account declared are executed by claim. */
const mayClaim = (powers: KeyPower[], kinds: string[] | null): boolean =>
  powers.includes('confirm') && !powers.includes('execute') && (kinds === null || !kinds.every(isBuiltIn))

const isBuiltIn = (kind: string): boolean => kind in defaultPolicy.kinds || kind === upstreamKind

const whomOf = (actors: string[] | null): string =>
  actors === null ? 'any member' : `${actors.length} ${actors.length === 1 ? 'member' : 'members'} only`

function ceilingsOf({
  actionsPerDay,
  centsPerDay,
}: Pick<KeyRights, 'actionsPerDay' | 'centsPerDay'>): string[] {
  const amounts = Object.entries(centsPerDay ?? {}).map(([currency, cents]) => formatAmount(cents, currency))
  return [
    ...(actionsPerDay === null
      ? []
      : [`at most ${actionsPerDay} ${actionsPerDay === 1 ? 'action' : 'actions'} a day`]),
    ...(amounts.length === 0
      ? []
      : [
          `at most ${inWords(amounts)} a day (each currency is counted alone; one that is not listed has the limit of the account’s currency, or else of USD, or else the lowest)`,
        ]),
  ]
}

const plural = (kind: string): string => `${kind.replaceAll('_', ' ')}s`

function inWords(parts: string[], last = 'and'): string {
  return parts.length < 2 ? (parts[0] ?? '') : `${parts.slice(0, -1).join(', ')} ${last} ${parts.at(-1)!}`
}
