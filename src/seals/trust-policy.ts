import { GateError } from '../errors.ts'
import { limits } from '../limits.ts'
import { type NoteKey, parseVkey, type SignatureType } from './note.ts'

/**
 * A trust policy: which logs are believed, which witnesses there are, and whose cosignatures are enough.
 * @source https://c2sp.org/tlog-policy
 */
export interface TrustPolicy {
  logs: readonly PolicyKey[]
  witnesses: readonly PolicyWitness[]
  /** Null for `quorum none`. */
  quorum: Component | null
}

export interface PolicyKey {
  key: NoteKey
  url?: string
  /** Where the policy says it, counted from 1. */
  line: number
}

export interface PolicyWitness extends PolicyKey {
  /** What the policy calls it, which need not be the name of its key. */
  name: string
}

/** A witness, or a group of which `needed` members must have cosigned. */
type Component = { witness: PolicyWitness } | { needed: number; members: readonly Component[] }

/** What the lines so far have defined. */
interface Draft {
  logs: PolicyKey[]
  witnesses: PolicyWitness[]
  components: Map<string, Component>
  /** Names that a group holds: none may be in two. */
  grouped: Set<string>
  quorum: Component | null | undefined
}

type Line = { words: readonly string[]; at: number }

const kinds: Record<string, (draft: Draft, line: Line) => void> = {
  log: addLog,
  witness: addWitness,
  group: addGroup,
  quorum: setQuorum,
}

/**
 * Reads a policy.
 * @throws GateError `invalid` that names the line
 */
export function parseTrustPolicy(text: string): TrustPolicy {
  if (Buffer.byteLength(text) > limits.policyFileBytesMax)
    throw new GateError('invalid', `The policy is longer than ${limits.policyFileBytesMax} bytes.`)
  const draft: Draft = {
    logs: [],
    witnesses: [],
    components: new Map(),
    grouped: new Set(),
    quorum: undefined,
  }
  for (const [index, line] of text.split('\n').entries()) {
    const at = index + 1
    // eslint-disable-next-line no-control-regex
    if (/[\u0000-\u0008\u000b-\u001f\u007f\ufffd]/u.test(line))
      fail(at, 'has a control character, or is not UTF-8')
    const words = line.split(/[ \t]+/).filter(Boolean)
    const [kind] = words
    if (kind === undefined || kind.startsWith('#')) continue
    if (!Object.hasOwn(kinds, kind)) fail(at, 'must begin with log, witness, group, quorum or #')
    kinds[kind]!(draft, { words: words.slice(1), at })
  }
  const { logs, witnesses, quorum } = draft
  if (quorum === undefined) throw new GateError('invalid', 'The policy has no quorum line.')
  return { logs, witnesses, quorum }
}

/** Whether the witnesses of these names, whose cosignatures were verified, are enough. */
export function isQuorum({ quorum }: TrustPolicy, cosigners: ReadonlySet<string>): boolean {
  return quorum === null || hasCosigned(quorum, cosigners)
}

function hasCosigned(component: Component, cosigners: ReadonlySet<string>): boolean {
  if ('witness' in component) return cosigners.has(component.witness.name)
  const { needed, members } = component
  return members.filter((member) => hasCosigned(member, cosigners)).length >= needed
}

function addLog(draft: Draft, { words: [vkey, url, more], at }: Line): void {
  if (vkey === undefined || more !== undefined) fail(at, 'must be: log <vkey> [<url>]')
  draft.logs.push({ ...keyOf(vkey, 0x01, at), ...urlOf(url, at) })
  refuseRepeated(draft.logs, at)
}

function addWitness(draft: Draft, { words: [name, vkey, url, more], at }: Line): void {
  if (name === undefined || vkey === undefined || more !== undefined)
    fail(at, 'must be: witness <name> <vkey> [<url>]')
  const witness = { name, ...keyOf(vkey, 0x04, at), ...urlOf(url, at) }
  draft.witnesses.push(witness)
  refuseRepeated(draft.witnesses, at)
  define(draft, name, { witness }, at)
}

function addGroup(draft: Draft, { words: [name, threshold, ...names], at }: Line): void {
  if (name === undefined || threshold === undefined || names.length === 0)
    fail(at, 'must be: group <name> <number>|any|all <name>…')
  const members = names.map((member) => {
    if (draft.grouped.has(member)) fail(at, `has ${shown(member)}, which is already in a group`)
    draft.grouped.add(member)
    return defined(draft, member, at)
  })
  const needed = neededOf(threshold, members.length)
  if (needed === undefined) fail(at, `must need any, all, or 1 to ${members.length} of its members`)
  define(draft, name, { needed, members }, at)
}

function neededOf(threshold: string, members: number): number | undefined {
  if (threshold === 'any') return 1
  if (threshold === 'all') return members
  const needed = /^[1-9]\d{0,4}$/.test(threshold) ? Number(threshold) : Infinity
  return needed <= members ? needed : undefined
}

function setQuorum(draft: Draft, { words: [name, more], at }: Line): void {
  if (name === undefined || more !== undefined) fail(at, 'must be: quorum <name>, or quorum none')
  if (draft.quorum !== undefined) fail(at, 'is a second quorum')
  draft.quorum = name === 'none' ? null : defined(draft, name, at)
}

function define({ components }: Draft, name: string, component: Component, at: number): void {
  if (name === 'none') fail(at, 'cannot define none, which is the quorum of no witness')
  if (components.has(name)) fail(at, `defines ${shown(name)} a second time`)
  if (components.size === limits.policyNamesMax)
    fail(at, `is one too many: a policy has at most ${limits.policyNamesMax} witnesses and groups`)
  components.set(name, component)
}

function defined({ components }: Draft, name: string, at: number): Component {
  return components.get(name) ?? fail(at, `names ${shown(name)}, which no line before it defines`)
}

function keyOf(vkey: string, type: SignatureType, line: number): PolicyKey {
  const key = parseVkey(vkey)
  if (key === undefined) fail(line, `has a malformed key: ${shown(vkey)} is no vkey of an Ed25519 key`)
  if (key.type !== type) {
    const [kind, wanted] = type === 0x01 ? ['log', '0x01'] : ['witness', '0x04']
    fail(line, `has a key of another type: the key of a ${kind} has the type ${wanted}`)
  }
  return { key, line }
}

function urlOf(url: string | undefined, at: number): { url?: string } {
  if (url === undefined) return {}
  if (!URL.canParse(url)) fail(at, `has a malformed URL: ${shown(url)}`)
  return { url }
}

/** One public key under two names would count twice. */
function refuseRepeated(keys: readonly PolicyKey[], at: number): void {
  const { key } = keys.at(-1)!
  if (keys.slice(0, -1).some((other) => other.key.publicKey.equals(key.publicKey)))
    fail(at, 'repeats the key of an earlier line')
  if (keys.length > limits.policyNamesMax)
    fail(at, `is one too many: a policy has at most ${limits.policyNamesMax} logs`)
}

const shown = (word: string): string => JSON.stringify(word.slice(0, limits.formNameEchoCharsMax))

function fail(at: number, what: string): never {
  throw new GateError('invalid', `Line ${at} of the policy ${what}.`)
}
