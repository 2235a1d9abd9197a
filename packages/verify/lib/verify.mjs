#!/usr/bin/env node
// Checks a sealed export, a proof or a receipt of the Qualification Gate. One file, so that it can be copied and read whole;
// without dependencies and without the service's code, so that a mistake there is not repeated here. Formats: README.md.

/** @typedef {{ place: string, problem: string }} Finding */
/** @typedef {{ name: string, at: string }} Witnessed  a witness of the policy, and its time */
/** @typedef {{ size: number, root: Uint8Array, sealedAt: string, witnesses: Witnessed[], notes: string[], heads: Checkpoint[] }} Judged  a seal; `heads`: its checkpoint, and that of its epoch */
/**
 * @typedef {object} Options
 * @property {string} [policy]  a text of C2SP tlog-policy
 * @property {string[]} [checkpoints]  checkpoints that were kept, with which the file must have one history
 * @property {string} [consistency]  of a proof or a checkpoint: the hashes of the path between it and the one that was kept
 * @property {number} [action]  of an export: the action to tell about; of a proof: the action that it must be about
 * @property {boolean} [unsealed]  of an export: also tell what no seal has
 * @property {string} [jwks]  the gate's keys of receipts
 * @property {Uint8Array} [payload]  what a receipt must be about
 * @property {string} [issuer]
 * @property {string} [account]
 * @property {string} [kind]
 * @property {string} [minStrength]
 * @property {Date} [now]
 */
/**
 * @typedef {{ ok: true, what: string, words: string[], facts: Record<string, unknown> } | ({ ok: false, unreadable?: true, sealed?: false } & Finding)} Verdict  `unreadable`: nothing is said of its content; `sealed`: no seal has it
 */

/** Bounds of what is read. */
const limits = {
  policyBytesMax: 65_536,
  policyLinesMax: 1_000,
  policyNamesMax: 64,
  noteCharsMax: 65_536,
  noteSignaturesMax: 64,
  smallFileBytesMax: 1_048_576,
  receiptCharsMax: 8_192,
  numberCharsMax: 64,
  lineBytesMax: 16_777_216,
  // The longest path of a tree of 2^64 leaves.
  pathHashesMax: 64,
  entriesMax: 200_000_000,
}

const proofHeader = 'c2sp.org/tlog-proof@v1'
const strengths = ['agent_attested', 'client_attested', 'chat', 'page', 'passkey']

/** What is wrong, and where. At the place `file` nothing of it could be read. */
export class Refusal extends Error {
  /**
   * @param {string} place
   * @param {string} problem
   * @param {{ sealed?: false }} [more]
   */
  constructor(place, problem, more = {}) {
    super(`${place}: ${problem}`)
    this.place = place
    this.problem = problem
    this.more = more
  }
}

/** The policy is not valid: that says nothing about the file. */
export class PolicyError extends Error {}

/**
 * Checks a file of any of the forms, which is told by its first bytes.
 * @param {AsyncIterable<Uint8Array>} chunks
 * @param {Options} options
 * @returns {Promise<Verdict>}
 * @throws {PolicyError}
 */
export async function verifyFile(chunks, options) {
  try {
    const verdict = await verdictOn(chunks, options)
    // A file can be forged to paint a terminal: whatever a sentence was made of, it is printed only as `shown` has it.
    return verdict.ok ? { ...verdict, words: verdict.words.map(shown) } : verdict
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    const { place, problem, more } = error
    const unreadable =
      place === 'file' || place === 'payload' ? { unreadable: /** @type {const} */ (true) } : {}
    return { ok: false, place: shown(place), problem: shown(problem), ...unreadable, ...more }
  }
}

/**
 * @param {AsyncIterable<Uint8Array>} chunks
 * @param {Options} options
 * @returns {Promise<Verdict>}
 */
async function verdictOn(chunks, options) {
  const { first, rest } = await peek(chunks)
  if (first.startsWith('{')) return verifyExport(rest, options)
  const text = plainLines(await wholeOf(rest))
  if (first.startsWith(proofHeader)) return verifyProof(text, options)
  if (/^[\w-]+\.[\w.-]*$/.test(text.trim())) return verifyReceipt(text.trim(), options)
  if (text.includes('\n\n\u2014 ')) return verifyCheckpoint(text, options)
  throw new Refusal('file', 'it is neither a ledger export, nor a proof, a checkpoint or a receipt')
}

// ---- Sealed export

/**
 * @typedef {object} Export  what is kept of the lines that were taken
 * @property {Header | undefined} header
 * @property {number} lines
 * @property {number} seq  the number of entries
 * @property {string} hash  of the last of them, in hex
 * @property {string} at
 * @property {Uint8Array} hashes  of all of them: the leaves of the tree
 * @property {Judged[]} seals
 * @property {boolean} isEnded
 * @property {number[]} consents  their numbers
 * @property {PasskeyRecords} passkeys
 * @property {MandateRecords} mandates
 * @property {Map<number, Ruled>} ruled  the open actions that others must approve
 * @property {Map<unknown, Record<string, unknown>>} delegations  those that have not ended before their time
 * @property {Entry | undefined} edit  the last entry, where a member changed an action by it: its consent is the next one
 * @property {{ action: number | null, digest: unknown } | undefined} proposed  the action that is asked for, as it was proposed
 * @property {Entry[]} told  consents and ends of the action that is asked for; else the last consent, and the ends after it
 */
/** @typedef {{ v: 1, account: string, seq: number, hash: string, exported_at: string }} Header */
/**
 * @typedef {object} Entry
 * @property {number} seq
 * @property {string} at
 * @property {string} kind
 * @property {number | null} action
 * @property {string} actor
 * @property {Record<string, unknown>} data
 */

const headerForm = {
  v: (/** @type {unknown} */ value) => value === 1,
  account: isAccount,
  seq: isCount,
  hash: isHexHash,
  exported_at: isInstant,
}
const entryForm = {
  seq: isCount,
  at: isInstant,
  kind: isString,
  action_id: (/** @type {unknown} */ value) => value === null || (isCount(value) && value !== 0),
  entry: isString,
  prev: isHexHash,
  hash: isHexHash,
}

/**
 * @param {AsyncIterable<Uint8Array>} chunks
 * @param {Options} options
 * @returns {Promise<Verdict>}
 */
async function verifyExport(chunks, options) {
  const checker = exportChecker(options)
  for await (const line of linesOf(chunks)) {
    const judging = checker.take(line)
    if (judging) await judging
  }
  return checker.finish()
}

/**
 * Checks an export line by line.
 * @param {Options} options
 */
export function exportChecker(options) {
  const policy = policyOf('export', options)
  const digest = hasher()
  /** @type {Export} */
  const found = {
    header: undefined,
    lines: 0,
    seq: 0,
    hash: '00'.repeat(32),
    at: '',
    hashes: new Uint8Array(32_768),
    seals: [],
    isEnded: false,
    consents: [],
    passkeys: { digests: new Map(), known: new Map() },
    mandates: { byPasskey: new Set(), use: undefined },
    ruled: new Map(),
    delegations: new Map(),
    edit: undefined,
    proposed: undefined,
    told: [],
  }
  const rootAt = growingRoot(() => found.hashes)
  return {
    /**
     * Takes the next line, without its newline. A line that is refused leaves the checker as it was.
     * @param {Uint8Array} line
     * @returns {Promise<void> | undefined}
     */
    take(line) {
      const place = nextPlace(found)
      if (found.isEnded) throw new Refusal('end', 'the file goes on after its last line')
      const text = decodeUtf8(line, place)
      const isEnd = text.startsWith('{"end":')
      const taken = () => {
        digest.update(line)
        digest.update(newline)
        found.lines += 1
        found.isEnded = isEnd
      }
      if (!isEnd && found.seq === found.header?.seq)
        return takeSeal(found, text, { policy, rootAt }).then(taken)
      if (isEnd) checkEnd(text, found.lines, digest.digest())
      else if (found.header) {
        const proving = takeEntry(found, text, options)
        if (proving) return proving.then(taken)
      } else found.header = readHeader(text)
      taken()
      return undefined
    },
    finish: () => finishExport(found, policy, options),
  }
}

/**
 * @param {Export} found
 * @param {Policy} policy
 * @param {Options} options
 */
async function finishExport(found, policy, options) {
  const { header, seq, seals, isEnded } = found
  if (!header || seq < header.seq)
    throw new Refusal(nextPlace(found), 'it is missing: the file ends before it')
  if (found.hash !== header.hash) throw new Refusal('header', `its hash does not match seq ${seq}`)
  if (found.edit)
    throw new Refusal(
      `seq ${seq}`,
      `action ${found.edit.action} was changed, but the consent to that does not follow`,
    )
  const last = seals.at(-1)
  if (!last)
    throw new Refusal('seal 1', 'it is missing: nothing in the file is signed. Export it with --sealed')
  if (!isEnded) throw new Refusal('end', 'it is missing: the file was cut')
  requireQuorum(last, policy, `seal ${seals.length}`)
  await holdToKept(found, policy, options)
  return exportVerdict(found, header, last, options)
}

/**
 * The place of the next line.
 * @param {Export} found
 */
function nextPlace({ header, seq, seals }) {
  if (!header) return 'header'
  return seq < header.seq ? `seq ${seq + 1}` : `seal ${seals.length + 1}`
}

/**
 * @param {string} text
 * @returns {Header}
 */
function readHeader(text) {
  if (!isWritten(parseObject(text), text)) throw new Refusal('file', 'it is not a ledger export')
  const header = readJson(text, headerForm, 'header')
  if (header.seq > 0 && header.seq <= limits.entriesMax) return header
  throw new Refusal('header', `it announces ${header.seq} entries`)
}

/**
 * @param {Export} found
 * @param {string} text
 * @param {Options} options
 * @returns {Promise<void> | undefined}
 */
function takeEntry(found, text, { action }) {
  const seq = found.seq + 1
  const place = `seq ${seq}`
  const line = readJson(text, entryForm, place)
  if (line.seq !== seq)
    throw new Refusal(place, line.seq > seq ? 'it is missing' : `seq ${line.seq} is in its place`)
  if (line.prev !== found.hash)
    throw new Refusal(
      place,
      `its prev is not the hash of ${seq === 1 ? 'the start of the chain' : `seq ${seq - 1}`}`,
    )
  const hash = chainHash({ ...line, account: found.header?.account })
  if (line.hash !== toHex(hash)) throw new Refusal(place, 'its hash does not match its content')
  if (line.at < found.at) throw new Refusal(place, `its time is earlier than that of seq ${seq - 1}`)
  const entry = readEntry(line, place)
  if (entry.kind !== line.kind)
    throw new Refusal(place, `it is listed as ${line.kind}, but its text says ${entry.kind}`)
  if (entry.action !== line.action_id)
    throw new Refusal(place, `it is listed for action ${line.action_id}, but its text says ${entry.action}`)
  requirePair(found, entry, place)
  takeApproval(found, entry, place)
  takeMandate(found.mandates, entry, place)
  const proving = provePasskey(found.passkeys, entry, place)
  const keep = () => keepEntry(found, entry, { hash, at: line.at }, action)
  return proving ? proving.then(keep) : void keep()
}

/**
 * @param {Export} found
 * @param {Entry} entry
 * @param {{ hash: Uint8Array, at: string }} link
 * @param {number | undefined} action  that is asked for
 */
function keepEntry(found, entry, { hash, at }, action) {
  const { seq } = entry
  keepPasskey(found.passkeys, entry)
  found.edit = entry.kind === 'edited' ? entry : undefined
  if (entry.kind === 'proposed' && entry.action === action)
    found.proposed = { action: entry.action, digest: entry.data.digest }
  const isConsent = entry.kind === 'confirmed'
  if (isConsent) found.consents.push(seq)
  if (isConsent && action === undefined) found.told = [entry]
  else if (entry.action === (action ?? found.told[0]?.action) && (isConsent || endings.includes(entry.kind)))
    found.told.push(entry)
  if (found.hashes.length < seq * 32) {
    const larger = new Uint8Array(found.hashes.length * 2)
    larger.set(found.hashes)
    found.hashes = larger
  }
  found.hashes.set(hash, (seq - 1) * 32)
  found.seq = seq
  found.hash = toHex(hash)
  found.at = at
}

/**
 * A member changes an action and consents to that in one write: the entries of both are neighbours, and of one digest.
 * @param {Export} found
 * @param {Entry} entry
 * @param {string} place
 */
function requirePair({ edit, proposed }, { kind, action, data }, place) {
  const isConsent = kind === 'confirmed'
  const isAgreed = isConsent || kind === 'approved'
  if (edit && !(isAgreed && action === edit.action && data.digest === edit.data.digest))
    throw new Refusal(place, `action ${edit.action} was changed, but the consent to that does not follow`)
  if (!edit && isConsent && data.digest !== undefined)
    throw new Refusal(place, `it consents to a change of action ${action}, but no entry before it is one`)
  if (kind === 'edited' && action === proposed?.action && data.former_digest !== proposed.digest)
    throw new Refusal(place, `what action ${action} was before the change is not what was proposed`)
}

/**
 * @typedef {object} Ruled  an open action that others must approve
 * @property {number} needed  people beside its member
 * @property {unknown} digest  of what is approved
 * @property {string} proposer  its member
 * @property {unknown} own  the strength of their consent to it as it is; undefined: not yet
 * @property {unknown} kind
 * @property {Map<unknown, unknown>} approvers  who approved, and whose deputies they were
 * @property {unknown} named  who may execute it in place of the others
 * @property {unknown} brokenBy  who did; undefined: nobody
 */

/**
 * Keeps who approved, and refuses a confirm with fewer approvals than the action needs, and an approval that is none.
 * @param {Pick<Export, 'ruled' | 'delegations'>} found
 * @param {Entry} entry
 * @param {string} place
 */
function takeApproval({ ruled, delegations }, entry, place) {
  const { kind, action, actor, data } = entry
  if (kind === 'delegation_started') delegations.set(data.delegation, data)
  if (kind === 'delegation_ended') delegations.delete(data.delegation)
  for (const over of endedIn(data).delegations ?? []) delegations.delete(over)
  if (action === null) {
    // Whose rights ended approves no more.
    for (const lapsed of endedIn(data).approvals ?? []) {
      const vote = ruled.get(lapsed)
      if (vote) vote.approvers.delete(data.member)
      if (vote?.proposer === data.member) vote.own = undefined
    }
    return
  }
  const fresh = { digest: data.digest, own: undefined, approvers: new Map(), brokenBy: undefined }
  if (kind === 'proposed' && isObject(data.approvals))
    ruled.set(action, {
      kind: data.kind,
      needed: Number(data.approvals.needed),
      named: isObject(data.approvals.break_glass) ? data.approvals.break_glass.members : undefined,
      proposer: actor,
      ...fresh,
    })
  const its = ruled.get(action)
  const isOwn = data.by === 'member'
  const problem = !its
    ? kind === 'approved' || kind === 'glass_broken' || (kind === 'confirmed' && data.approvals !== undefined)
      ? 'nobody else has to approve this action'
      : undefined
    : kind === 'approved'
      ? data.digest !== its.digest || isOwn !== (actor === its.proposer)
        ? 'it approves another version of the action, or is not by whom it says'
        : data.for === undefined ||
            isDeputy(delegations, { deputy: actor, of: data.for, kind: its.kind }, entry)
          ? undefined
          : 'no entry before it makes its actor a deputy of the one it is for'
      : kind === 'glass_broken' &&
          !(
            data.digest === its.digest &&
            its.own !== undefined &&
            data.strength === 'passkey' &&
            actor !== its.proposer &&
            Array.isArray(its.named) &&
            its.named.includes(actor)
          )
        ? 'its actor cannot execute this version of the action in place of those who must approve it'
        : kind === 'confirmed' &&
            !(
              data.glass_broken_by === its.brokenBy &&
              countedIn(its, delegations, entry) >= (its.brokenBy === undefined ? its.needed : 0) &&
              its.own === data.strength
            )
          ? `it has ${countedIn(its, delegations, entry)} approvals, but needs ${its.needed}, and the consent of its member`
          : undefined
  if (problem) throw new Refusal(place, problem)
  if (its && kind === 'edited') Object.assign(its, fresh)
  if (its && kind === 'glass_broken') its.brokenBy = actor
  if (its && kind === 'approved' && isOwn) its.own = data.strength
  else if (its && kind === 'approved') its.approvers.set(actor, data.for)
  if (['confirmed', 'cancelled', 'expired', 'denied'].includes(kind)) ruled.delete(action)
}

/**
 * What ended with the rights of a member, as the entry of their deactivation says it.
 * @param {Entry['data']} data
 * @returns {{ approvals?: number[], passkeys?: string[], delegations?: string[] }}
 */
const endedIn = ({ ended }) => (isObject(ended) ? ended : {})

/**
 * @typedef {object} MandateRecords
 * @property {Set<number>} byPasskey  the actions to which a passkey consented
 * @property {{ mandate: number | null, action: unknown, strength: unknown } | undefined} use  the last entry, where it is one
 */

/**
 * Refuses what a mandate consented to without a use for it just before, or with a passkey that did not sign the mandate.
 * @param {MandateRecords} records
 * @param {Entry} entry
 * @param {string} place
 */
function takeMandate(records, { kind, action, data }, place) {
  const { byPasskey, use } = records
  const { mandate, strength, used_for: usedFor } = data
  records.use = kind === 'mandate_used' ? { mandate: action, action: usedFor, strength } : undefined
  if (kind !== 'confirmed' || action === null) return
  if (mandate === undefined) {
    if (strength === 'passkey') byPasskey.add(action)
    return
  }
  if (use?.mandate !== mandate || use?.action !== action || use?.strength !== strength)
    throw new Refusal(place, 'its mandate has no use for it')
  if (strength === 'passkey' && !byPasskey.has(Number(mandate)))
    throw new Refusal(place, 'its strength is passkey, but no passkey signed its mandate')
}

/**
 * How many approvals a confirm rests on. A deputy and the one they approve for are one person: `approved_by` says who counts.
 * @param {Ruled} its
 * @param {Export['delegations']} delegations
 * @param {Entry} entry
 */
function countedIn({ approvers, proposer, kind }, delegations, entry) {
  const { approved_by: counted } = entry.data
  if (!Array.isArray(counted))
    return [...approvers.values()].every((of) => of === undefined) ? approvers.size : 0
  const people = new Set([/** @type {unknown} */ (proposer)])
  for (const one of counted) {
    const { member, for: of } = isObject(one) ? one : {}
    const isGiven =
      approvers.has(member) &&
      (of === undefined ||
        (approvers.get(member) === of && isDeputy(delegations, { deputy: member, of, kind }, entry)))
    if (!isGiven || people.has(member) || people.has(of ?? member)) return 0
    people.add(member).add(of ?? member)
  }
  return counted.length
}

/**
 * Whether a member is the deputy of another one for a kind of action, at the time of an entry: a statement that looks whether it is over
 * may write that a little later.
 * @param {Export['delegations']} delegations
 * @param {{ deputy: unknown, of: unknown, kind: unknown }} wanted
 * @param {Entry} entry
 */
const isDeputy = (delegations, { deputy, of, kind }, { at }) =>
  [...delegations.values()].some(
    ({ from, to, kinds, until }) =>
      from === of &&
      to === deputy &&
      (!Array.isArray(kinds) || kinds.includes(kind)) &&
      Date.parse(at) <= Date.parse(String(until)) + 10_000,
  )

/** How an action ends. A confirm that waited too long can be denied, and a provider can refuse. */
const endings = ['executed', 'denied', 'cancelled']

/**
 * The text of an entry, whose hash was checked.
 * @param {{ seq: number, at: string, entry: string }} line
 * @param {string} place
 * @returns {Entry}
 */
function readEntry({ seq, at, entry: text }, place) {
  const entry = parseObject(text)
  const { kind, action, actor, data } = entry ?? {}
  const isEntry = isString(kind) && (action === null || isCount(action)) && isString(actor) && isObject(data)
  if (!isEntry) throw new Refusal(place, 'its text is not that of an entry')
  return { seq, at, kind, action, actor, data }
}

/**
 * The hash of an entry in its chain.
 * @param {{ account: string, seq: number, at: string, entry: string, prev: string }} link
 */
function chainHash({ account, seq, at, entry, prev }) {
  return sha256(concat(fromHex(prev), utf8(`${account} ${seq} ${at}\n${entry}`)))
}

/** @typedef {{ checkpoint: string, epoch: string | undefined, place: string }} Seal */

/**
 * @param {Export} found
 * @param {string} text
 * @param {{ policy: Policy, rootAt: (size: number) => Uint8Array }} given
 */
async function takeSeal(found, text, { policy, rootAt }) {
  const place = nextPlace(found)
  const { seal } = readJson(text, { seal: isSealBody }, place)
  const judged = await judgeSeal({ ...seal, place }, found.header?.account ?? '', policy)
  const { size, root } = judged
  if (size <= (found.seals.at(-1)?.size ?? 0))
    throw new Refusal(place, 'its size is not larger than that of the seal before it')
  requireEntries(found, size, place)
  if (!isSame(rootAt(size), root)) throw otherRoot(place, size)
  found.seals.push(judged)
}

/**
 * @param {Export} found
 * @param {number} size
 * @param {string} by
 */
function requireEntries({ seq }, size, by) {
  if (size > seq) throw new Refusal(`seq ${seq + 1}`, `it is missing: ${by} has ${size} entries`)
}

/**
 * @param {string} place
 * @param {number} size
 */
const otherRoot = (place, size) =>
  new Refusal(
    place,
    `its root is another one: an entry among seq 1 to ${size} is not the one that was sealed`,
  )

/**
 * The history of checkpoints that were kept is that of the export.
 * @param {Export} found
 * @param {Policy} policy
 * @param {Options} options
 */
async function holdToKept(found, policy, { checkpoints = [] }) {
  const kept = []
  for (const [i, text] of checkpoints.entries()) {
    const place = `checkpoint ${i + 1}`
    const { origin, size, root } = await openCheckpoint(plain(text), policy, place)
    if (accountOf(origin) !== found.header?.account) throw new Refusal(place, `it is of ${shown(origin)}`)
    requireEntries(found, size, place)
    kept.push({ size, root, place })
  }
  const rootAt = growingRoot(() => found.hashes)
  for (const { size, root, place } of kept.toSorted((a, b) => a.size - b.size))
    if (!isSame(rootAt(size), root)) throw otherRoot(place, size)
}

/** @param {unknown} value */
const isSealBody = (value) => isObject(value) && hasForm(value, withEpoch({ checkpoint: isString }, value))

/** @typedef {Record<string, (value: unknown) => boolean>} Form */

/**
 * The epoch is absent where no epoch has the checkpoint yet.
 * @param {Form} form
 * @param {Record<string, unknown> | undefined} value
 * @returns {Form}
 */
const withEpoch = (form, value) => (value?.epoch === undefined ? form : { ...form, epoch: isString })

/** @param {unknown} value */
const isEndBody = (value) => isObject(value) && hasForm(value, { lines: isCount, sha256: isHexHash })

/**
 * @param {string} text
 * @param {number} count
 * @param {Uint8Array} hash
 */
function checkEnd(text, count, hash) {
  const { end } = readJson(text, { end: isEndBody }, 'end')
  if (end.lines !== count)
    throw new Refusal('end', `it announces ${end.lines} lines before it, but there are ${count}`)
  if (end.sha256 !== toHex(hash)) throw new Refusal('end', 'the file was changed: its hash is another one')
}

/**
 * @param {Export} found
 * @param {Header} header
 * @param {Judged} last  the last seal
 * @param {Options} options
 * @returns {Verdict}
 */
function exportVerdict(found, { account, seq, hash }, last, options) {
  const { action, unsealed = false } = options
  if (seq > last.size && !unsealed)
    throw new Refusal(
      `seq ${last.size + 1}`,
      'no seal has this entry or those after it, and anyone can have added them: a sealed export ends at its last seal. --unsealed tells what they say all the same',
      { sealed: false },
    )
  const { consent, ended } = toldOf(found, options)
  const seal = consent && found.seals.find(({ size }) => size >= consent.seq)
  const consents = found.consents.length
  const words = [
    `${account}: entries 1 to ${last.size} verified, ${sealWords(last)}.`,
    ...(seq > last.size ? [unsealedWords(last.size + 1, seq)] : []),
    consents === 0
      ? 'No consents.'
      : consent
        ? `${action === undefined ? `${countWords(consents)}. The last: action` : 'Action'} ${consent.action} (seq ${consent.seq}) ${consentWords(consent)}, ${seal ? sealWords(seal, last) : 'not sealed'}.`
        : `${countWords(consents)}.`,
    ...(ended ? [endWords(ended, last)] : []),
    ...attestedWords(consent?.data.strength),
    ...passkeyWords(consent?.data.passkey),
    ...last.notes,
  ]
  const isSealed = (/** @type {Entry} */ entry) => ({ sealed: entry.seq <= last.size })
  return {
    ok: true,
    what: 'export',
    words,
    facts: {
      account,
      entries: seq,
      hash,
      sealed: last.size,
      sealed_at: last.sealedAt,
      witnesses: last.witnesses,
      consents,
      ...(consent ? { consent: { ...consentFacts(consent), ...isSealed(consent) } } : {}),
      ...(ended ? { ended: { kind: ended.kind, seq: ended.seq, at: ended.at, ...isSealed(ended) } } : {}),
    },
  }
}

/**
 * The consent that is told, and how its action ended after that.
 * @param {Export} found
 * @param {Options} options
 */
function toldOf({ told }, { action }) {
  const consent = told.findLast(({ kind }) => kind === 'confirmed')
  if (action !== undefined && !consent)
    throw new Refusal(`action ${action}`, 'the export has no consent to it')
  const ended = consent && told.findLast(({ kind, seq }) => endings.includes(kind) && seq > consent.seq)
  return { consent, ended }
}

/** @param {number} consents */
const countWords = (consents) => `${consents} ${consents === 1 ? 'consent' : 'consents'}`

/**
 * @param {number} from
 * @param {number} to
 */
const unsealedWords = (from, to) =>
  `Entries ${from} to ${to} are linked, but no seal has them: anyone can have added them.`

/**
 * @param {Entry} entry
 * @param {Judged} last  the last seal
 */
const endWords = ({ action, kind, at, seq }, { size }) =>
  `After that, action ${action} was ${kind} at ${at} (seq ${seq}${seq > size ? ', not sealed' : ''}).`

// ---- Proof of an entry

const proofForm = {
  v: (/** @type {unknown} */ value) => value === 1,
  account: isAccount,
  seq: isCount,
  at: isInstant,
  entry: isString,
  prev: isHexHash,
}

/**
 * @param {string} text
 * @param {Options} options
 * @returns {Promise<Verdict>}
 */
async function verifyProof(text, options) {
  const policy = policyOf('proof', options)
  const proof = readTlogProof(text, 'proof')
  if (!proof.extra) throw new Refusal('proof', 'it has no entry: the line "extra" is missing')
  const given = decodeUtf8(proof.extra, 'proof')
  const entry = readJson(given, withEpoch(proofForm, parseObject(given)), 'proof')
  const place = `seq ${entry.seq}`
  if (entry.seq !== proof.index + 1) throw new Refusal(place, `the proof is for seq ${proof.index + 1}`)
  const seal = { checkpoint: proof.checkpoint, epoch: entry.epoch, place }
  const judged = await judgeSeal(seal, entry.account, policy)
  requireQuorum(judged, policy, place)
  const { size, root } = judged
  const leaf = leafHash(chainHash(entry))
  if (!isIncluded({ index: proof.index, size, leaf, path: proof.path, root }))
    throw new Refusal(place, 'it is not in the sealed tree: the entry or the path was changed')
  const told = readEntry(entry, place)
  await proveAlone(told, place)
  if (options.action !== undefined && told.action !== options.action)
    throw new Refusal(
      place,
      `it is about ${told.action === null ? 'no action' : `action ${told.action}`}, not about action ${options.action}`,
    )
  const kept = await keptCheckpoint(options, policy)
  const head = kept && judged.heads.find(({ origin }) => origin === kept.origin)
  if (kept && !head)
    throw new Refusal('checkpoint 1', `it is of ${shown(kept.origin)}, which the proof is not of`)
  if (kept && head) requireOneHistory(head, kept, options.consistency)
  const { account, seq } = entry
  return {
    ok: true,
    what: 'proof',
    words: [
      `${told.kind === 'confirmed' ? consentWords(told) : recordWords(told)}, ${sealWords(judged)}.`,
      `${told.action === null ? 'Entry' : `Action ${told.action},`} seq ${seq} of ${account}.`,
      ...attestedWords(told.kind === 'confirmed' ? told.data.strength : undefined),
      ...passkeyWords(told.data.passkey),
      ...(told.data.passkey
        ? ['When its passkey was added, a proof of one entry does not say: an export does.']
        : []),
      ...(kept ? [`It is of one history with the checkpoint of ${kept.size} leaves that you kept.`] : []),
      ...judged.notes,
    ],
    facts: {
      account,
      seq,
      kind: told.kind,
      action: told.action,
      sealed: judged.size,
      sealed_at: judged.sealedAt,
      witnesses: judged.witnesses,
      ...(told.kind === 'confirmed' ? { consent: consentFacts(told) } : {}),
    },
  }
}

// ---- Checkpoint

/**
 * @param {string} text
 * @param {Options} options
 * @returns {Promise<Verdict>}
 */
async function verifyCheckpoint(text, options) {
  const policy = policyOf('checkpoint', options)
  const place = 'checkpoint'
  const { origin, size, root, sealedAt, cosigned } = await openCheckpoint(text, policy, place)
  const witnesses = witnessesOf(cosigned)
  const judged = { size, root, sealedAt: instantOf(sealedAt), witnesses, notes: [], heads: [] }
  requireQuorum(judged, policy, place)
  const kept = await keptCheckpoint(options, policy)
  if (kept) requireContinued({ origin, size, root }, kept, options.consistency)
  return {
    ok: true,
    what: 'checkpoint',
    words: [
      `${shown(origin)}: ${size} leaves, ${sealWords(judged)}.`,
      ...(kept ? [`It continues the checkpoint of ${kept.size} leaves that you kept.`] : []),
    ],
    facts: { origin, size, sealed_at: judged.sealedAt, witnesses, ...(kept ? { continues: kept.size } : {}) },
  }
}

/**
 * The checkpoint that was kept, of a file that is compared with one.
 * @param {Options} options
 * @param {Policy} policy
 */
async function keptCheckpoint({ checkpoints: [text, second] = [] }, policy) {
  if (second !== undefined) throw new PolicyError('a proof or a checkpoint is compared with one --checkpoint')
  return text === undefined ? undefined : openCheckpoint(plain(text), policy, 'checkpoint 1')
}

/**
 * @param {Checkpoint} checkpoint
 * @param {Checkpoint} kept
 * @param {string} [consistency]
 */
function requireContinued({ origin, size, root }, kept, consistency) {
  if (kept.origin !== origin)
    throw new Refusal(
      'checkpoint',
      `it is of ${shown(origin)}, the one that you kept is of ${shown(kept.origin)}`,
    )
  if (kept.size > size)
    throw new Refusal(
      'checkpoint',
      `it has ${size} leaves, the one that you kept has ${kept.size}: it was rolled back`,
    )
  requireOneHistory({ origin, size, root }, kept, consistency)
}

/**
 * That the larger one of two checkpoints of one log continues the other.
 * @param {Checkpoint} checkpoint
 * @param {Checkpoint} kept
 * @param {string} [consistency]
 */
function requireOneHistory(checkpoint, kept, consistency) {
  const [first, second] = kept.size <= checkpoint.size ? [kept, checkpoint] : [checkpoint, kept]
  if (first.size < second.size && consistency === undefined)
    throw new PolicyError(
      `to compare the checkpoints of ${first.size} and ${second.size} leaves, give --consistency: a file with the path between them`,
    )
  const lines = plain(consistency ?? '').split('\n')
  if (lines.pop() !== '') throw new Refusal('checkpoint', 'the path of its consistency has another form')
  const path = first.size === second.size ? [] : lines.map((line) => fromBase64(line) ?? new Uint8Array())
  const sizes = { size1: first.size, size2: second.size, root1: first.root, root2: second.root }
  if (!isConsistent({ ...sizes, path }))
    throw new Refusal(
      'checkpoint',
      'it does not continue the one that you kept: the history was rewritten, or the path is another one',
    )
}

/** @param {Entry} entry */
const consentFacts = ({ action, seq, at, actor, data }) => ({
  action,
  seq,
  by: actor,
  at,
  strength: data.strength,
  channel: data.channel,
  ...(isCount(data.mandate) ? { mandate: data.mandate } : {}),
  ...(isString(data.digest) ? { edited_digest: data.digest } : {}),
  ...(isEvidence(data.passkey) ? { passkey: passkeyFacts(data.passkey) } : {}),
})

/** @param {Entry} entry */
function consentWords({ actor, at, data }) {
  const how = [data.strength, data.channel].filter(isString)
  const mandated = isCount(data.mandate) ? ` in advance, by mandate ${data.mandate}` : ''
  const changed = isString(data.digest) ? ', with changes of their own' : ''
  return `consented by ${shown(actor)} at ${at}${how.length > 0 ? ` (${shown(how.join(', '))})` : ''}${mandated}${changed}`
}

/**
 * What the weakest strength means.
 * @param {unknown} strength
 */
const attestedWords = (strength) =>
  Object.hasOwn(attestedBy, String(strength))
    ? [`${strength}: ${attestedBy[strength]} The gate did not ask the member.`]
    : []
const attestedBy = {
  agent_attested: 'an agent said that the member consents.',
  client_attested: 'the program of an agent said that its user pressed Approve.',
}

/** @param {Entry} entry */
const recordWords = ({ kind, actor, at }) => `${shown(kind)} by ${shown(actor)} at ${at}`

/**
 * @param {Judged} seal
 * @param {Judged} [witnessed]  a later seal with witnesses, where this one has none
 */
function sealWords({ sealedAt, witnesses }, witnessed) {
  const by = witnesses.length > 0 ? witnesses : (witnessed?.witnesses ?? [])
  const cosigned = by.map(({ name, at }) => `${shown(name)} at ${at}`).join(' and ')
  return `sealed at ${sealedAt}${cosigned === '' ? '' : `, witnessed by ${cosigned}`}`
}

// ---- Passkeys, Web Authentication section 7.2

/**
 * @typedef {object} Evidence  what a passkey signed: in hex, but for the first three
 * @property {string} passkey
 * @property {boolean} device_bound
 * @property {string} client_data
 * @property {string} credential
 * @property {string} public_key
 * @property {string} authenticator_data
 * @property {string} signature
 * @property {string} nonce
 * @property {string} digest
 */
/**
 * @typedef {object} PasskeyRecords
 * @property {Map<number, unknown>} digests  of the actions that are open
 * @property {Map<unknown, { member: unknown, credential: unknown, key: unknown, isRemoved: boolean, counter: number }>} known
 */

const evidenceHex = ['credential', 'public_key', 'authenticator_data', 'signature', 'nonce', 'digest']

/**
 * @param {unknown} value
 * @returns {value is Evidence}
 */
const isEvidence = (value) =>
  isObject(value) &&
  isString(value.passkey) &&
  typeof value.device_bound === 'boolean' &&
  isString(value.client_data) &&
  evidenceHex.every((name) => /^(?:[0-9a-f]{2}){1,1100}$/.test(String(value[name])))

/**
 * Proves a consent by passkey in an export: it signed this decision about what was proposed, and the member had it then.
 * @param {PasskeyRecords} records
 * @param {Entry} entry
 * @param {string} place
 * @returns {Promise<void> | undefined}
 */
function provePasskey({ digests, known }, entry, place) {
  const { data, actor, action } = entry
  const evidence = requireEvidence(entry, place)
  if (!evidence) return undefined
  const refuse = (/** @type {string} */ problem) => {
    throw new Refusal(place, `its passkey does not prove it: ${problem}`)
  }
  if (evidence.digest !== digests.get(action ?? 0)) refuse('it is about another digest')
  const its = known.get(evidence.passkey)
  if (its?.credential !== evidence.credential || its.key !== evidence.public_key)
    return refuse('no entry before it adds this passkey')
  if (its.member !== actor) refuse('the passkey is of another member')
  if (its.isRemoved) refuse('the passkey was removed before')
  const counter = counterIn(fromHex(evidence.authenticator_data))
  if (counter <= its.counter && counter + its.counter > 0) refuse('its counter went back')
  return proveSigned(evidence, { decision: entry.kind === 'cancelled' ? 0 : 1, card: data.card }, place)
}

/**
 * What an entry changes of what the next ones are held to.
 * @param {PasskeyRecords} records
 * @param {Entry} entry
 */
function keepPasskey({ digests, known }, { kind, action, data }) {
  for (const removed of endedIn(data).passkeys ?? []) {
    const held = known.get(removed)
    if (held) held.isRemoved = true
  }
  const its = known.get(
    kind === 'passkey_removed' ? data.passkey : isEvidence(data.passkey) ? data.passkey.passkey : '',
  )
  if (kind === 'passkey_added')
    known.set(data.passkey, {
      member: data.member,
      credential: data.credential,
      key: data.public_key,
      isRemoved: false,
      counter: 0,
    })
  else if (its && kind === 'passkey_removed') its.isRemoved = true
  else if (its && isEvidence(data.passkey)) its.counter = counterIn(fromHex(data.passkey.authenticator_data))
  if (action === null) return
  if (kind === 'proposed' || kind === 'edited') digests.set(action, data.digest)
  else if (['confirmed', 'cancelled', 'expired', 'denied'].includes(kind)) digests.delete(action)
}

/**
 * The evidence that an entry must have, or has.
 * @param {Entry} entry
 * @param {string} place
 */
function requireEvidence({ kind, data }, place) {
  if (!['confirmed', 'cancelled', 'approved', 'glass_broken'].includes(kind)) return undefined
  const { passkey, strength, approvals, mandate } = data
  // What others had to approve has its evidence in the approvals, and what a mandate consents to in that of the mandate.
  if (kind === 'confirmed' && (approvals !== undefined || mandate !== undefined)) return undefined
  if (passkey === undefined && strength !== 'passkey') return undefined
  if (isEvidence(passkey)) return passkey
  throw new Refusal(place, 'its strength is passkey, but it has no evidence of one')
}

/**
 * @param {Entry} entry
 * @param {string} place
 */
async function proveAlone(entry, place) {
  const evidence = requireEvidence(entry, place)
  if (evidence)
    await proveSigned(
      evidence,
      { decision: entry.kind === 'cancelled' ? 0 : 1, card: entry.data.card },
      place,
    )
}

const consentTag = 'qualification-gate/consent/v1\0'

/**
 * @param {Evidence} evidence
 * @param {{ decision: 0 | 1, card: unknown }} signed
 * @param {string} place
 * @returns {Promise<void> | undefined}
 */
function proveSigned(evidence, { decision, card }, place) {
  const refuse = (/** @type {string} */ problem) => {
    throw new Refusal(place, `its passkey does not prove it: ${problem}`)
  }
  if (!isHexHash(card)) return refuse('the hash of the card is missing')
  const client = parseObject(evidence.client_data) ?? {}
  const { type, challenge, origin, crossOrigin, topOrigin } = client
  if (!isString(origin) || !URL.canParse(origin)) return refuse('its client data is not that of a browser')
  if (type !== 'webauthn.get') refuse('it was not made to decide')
  const wanted = sha256(
    concat(
      utf8(consentTag),
      fromHex(evidence.digest),
      Uint8Array.of(decision),
      fromHex(/** @type {string} */ (card)),
      fromHex(evidence.nonce),
    ),
  )
  const given = fromBase64(String(challenge), true)
  if (!given || !isSame(given, wanted)) refuse('it signs another decision')
  if (crossOrigin === true || topOrigin !== undefined) refuse('it was made inside another site')
  const data = fromHex(evidence.authenticator_data)
  const flags = data[32] ?? 0
  if (data.length < 37) refuse('its authenticator data is cut')
  if (!isSame(data.subarray(0, 32), sha256(utf8(new URL(origin).hostname)))) refuse('it is of another site')
  if ((flags & 1) === 0) refuse('nobody was present')
  if ((flags & 4) === 0) refuse('its user was not verified')
  if (((flags & 8) === 0) !== evidence.device_bound)
    refuse('whether the passkey is bound to a device is not what it signed')
  const message = concat(data, sha256(utf8(evidence.client_data)))
  const verdict = isSignedByPasskey(fromHex(evidence.public_key), message, fromHex(evidence.signature))
  const settle = (/** @type {boolean} */ isSigned) =>
    isSigned ? undefined : refuse('its signature does not match')
  return typeof verdict === 'boolean' ? settle(verdict) : verdict.then(settle)
}

/** @param {Uint8Array} data */
const counterIn = (data) =>
  data.length < 37 ? 0 : new DataView(data.buffer, data.byteOffset, data.length).getUint32(33)

/**
 * How the consent was signed, in words.
 * @param {unknown} passkey
 */
function passkeyWords(passkey) {
  if (!isEvidence(passkey)) return []
  const { origin, synced } = passkeyFacts(passkey)
  return [
    `passkey: signed at ${shown(origin)} by a passkey that is ${synced ? 'synced' : 'bound to its device'}, whose user was verified.`,
  ]
}

/** @param {Evidence} passkey */
const passkeyFacts = ({ passkey, credential, device_bound: isBound, client_data: client }) => ({
  id: passkey,
  credential,
  origin: String(parseObject(client)?.origin),
  synced: !isBound,
})

/**
 * Whether the key of a passkey signed the message: ECDSA on P-256, RSA with SHA-256, or Ed25519.
 * @param {Uint8Array} key  a SubjectPublicKeyInfo
 * @param {Uint8Array} message
 * @param {Uint8Array} signature
 * @returns {boolean | Promise<boolean>}
 */
function isSignedByPasskey(key, message, signature) {
  if (!nodeCrypto) return isSignedInBrowser(key, message, signature).catch(() => false)
  try {
    const known = nodeCrypto.createPublicKey({ key: Buffer.from(key), format: 'der', type: 'spki' })
    const hash = known.asymmetricKeyType === 'ed25519' ? null : 'sha256'
    return nodeCrypto.verify(hash, message, known, signature)
  } catch {
    return false
  }
}

/** What keys of a kind begin with, RFC 5480, 8017 and 8410; how a browser names them. */
const spkiKinds = [
  {
    begins: '3059301306072a8648ce3d0201',
    algorithm: { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' },
  },
  { begins: '302a300506032b6570', algorithm: { name: 'Ed25519' } },
  { begins: '3082', algorithm: { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } },
]

/**
 * @param {Uint8Array} key
 * @param {Uint8Array} message
 * @param {Uint8Array} signature
 */
async function isSignedInBrowser(key, message, signature) {
  const { algorithm } = spkiKinds.find(({ begins }) => toHex(key).startsWith(begins)) ?? {}
  if (!algorithm) return false
  const [spki, signed, text] = [key, algorithm.name === 'ECDSA' ? rawOf(signature) : signature, message].map(
    (bytes) => /** @type {ArrayBuffer} */ (bytes.slice().buffer),
  )
  const imported = await crypto.subtle.importKey('spki', spki, algorithm, false, ['verify'])
  return crypto.subtle.verify(algorithm, imported, signed, text)
}

/**
 * An ECDSA signature as two numbers of 32 bytes, which browsers take, instead of in DER.
 * @param {Uint8Array} der
 */
function rawOf(der) {
  const raw = new Uint8Array(64)
  for (let [at, part] = [2, 0]; part < 2; part += 1) {
    const length = der[at + 1] ?? 0
    const number = der.subarray(at + 2, at + 2 + length)
    const bytes = number.subarray(Math.max(0, number.length - 32))
    raw.set(bytes, 32 * part + 32 - bytes.length)
    at += 2 + length
  }
  return raw
}

// ---- Seals: checkpoints and epochs

/** @typedef {{ origin: string, size: number, root: Uint8Array }} Checkpoint */
/** @typedef {Checkpoint & { sealedAt: number, cosigned: Map<string, number> }} Opened */

/**
 * Checks a checkpoint of an account against the keys of the policy, with the epoch that it is in.
 * @param {Seal} seal
 * @param {string} account
 * @param {Policy} policy
 * @returns {Promise<Judged>}
 */
async function judgeSeal(seal, account, policy) {
  const { place } = seal
  const checkpoint = await openCheckpoint(seal.checkpoint, policy, place)
  if (accountOf(checkpoint.origin) !== account)
    throw new Refusal(place, `its seal is of ${shown(checkpoint.origin)}, not of ${account}`)
  const { cosigned, notes, epoch } =
    seal.epoch === undefined
      ? { cosigned: checkpoint.cosigned, notes: [], epoch: [] }
      : await judgeEpoch(seal.epoch, checkpoint, policy, place)
  const { size, root } = checkpoint
  const witnesses = witnessesOf(cosigned)
  return {
    size,
    root,
    sealedAt: instantOf(checkpoint.sealedAt),
    witnesses,
    notes,
    heads: [checkpoint, ...epoch],
  }
}

/** @param {Map<string, number>} cosigned */
const witnessesOf = (cosigned) => [...cosigned].map(([name, seconds]) => ({ name, at: instantOf(seconds) }))

/**
 * @param {Judged} seal
 * @param {Policy} policy
 * @param {string} place
 */
function requireQuorum({ witnesses }, { quorum }, place) {
  const names = witnesses.map(({ name }) => name)
  if (!quorum || isMet(quorum, new Set(names))) return
  const by = names.length === 0 ? 'no witness of the policy' : names.map(shown).join(', ')
  throw new Refusal(place, `the quorum ${shown(quorum.name)} is not met: its seal is cosigned by ${by}`)
}

/**
 * Checks that an epoch contains the checkpoint, and who cosigned that epoch.
 * @param {string} text  the epoch proof
 * @param {Opened} checkpoint
 * @param {Policy} policy
 * @param {string} place
 * @returns {Promise<{ cosigned: Map<string, number>, notes: string[], epoch: Checkpoint[] }>}
 */
async function judgeEpoch(text, checkpoint, policy, place) {
  const proof = readTlogProof(text, place)
  const host = hostOf(checkpoint.origin)
  if (!policy.logs.some(({ name }) => name === `${host}/epochs`)) {
    const notes = [`The epoch was not checked: the policy has no log ${host}/epochs.`]
    return { cosigned: checkpoint.cosigned, notes, epoch: [] }
  }
  const epoch = await openCheckpoint(proof.checkpoint, policy, place)
  if (epoch.origin !== `${host}/epochs`) throw new Refusal(place, `its epoch is of ${epoch.origin}`)
  if (proof.extra?.length !== 32) throw new Refusal(place, 'its epoch has no salt of 32 bytes')
  const size = new Uint8Array(8)
  new DataView(size.buffer).setBigUint64(0, BigInt(checkpoint.size))
  const named = sha256(concat(proof.extra, utf8(/** @type {string} */ (accountOf(checkpoint.origin)))))
  const leaf = leafHash(concat(named, size, checkpoint.root))
  if (!isIncluded({ index: proof.index, size: epoch.size, leaf, path: proof.path, root: epoch.root }))
    throw new Refusal(place, 'the epoch does not contain its seal')
  return { cosigned: epoch.cosigned, notes: [], epoch: [epoch] }
}

/** @param {string} origin */
const hostOf = (origin) => origin.replace(/\/(epochs|ledger\/[^/]*)$/, '')

/**
 * @param {string} origin
 * @returns {string | undefined}
 */
const accountOf = (origin) => /\/ledger\/(acct_[0-9A-Za-z]{16})$/.exec(origin)?.[1]

/**
 * Opens a checkpoint: its form, a log of the policy that signed it, when, and which witnesses of the policy cosigned it.
 * @param {string} text
 * @param {Policy} policy
 * @param {string} place
 * @returns {Promise<Opened>}
 */
async function openCheckpoint(text, policy, place) {
  const note = readNote(text, place)
  const checkpoint = readCheckpoint(note.text, place)
  const { origin } = checkpoint
  const logs = policy.logs.filter(
    ({ name }) => name === origin || (name === `${hostOf(origin)}/epochs` && accountOf(origin)),
  )
  if (logs.length === 0) throw new Refusal(place, `the policy has no log ${origin}`)
  let isSigned = false
  let sealedAt = -1
  /** @type {Map<string, number>} */
  const cosigned = new Map()
  for (const { key } of logs) {
    if ((await signedAt(note, { name: origin, type: types.ed25519, key }, place)) !== undefined)
      isSigned = true
    const at = await signedAt(note, { name: `${hostOf(origin)}/epochs`, type: types.cosignature, key }, place)
    if (at !== undefined) sealedAt = Math.max(sealedAt, at)
  }
  if (!isSigned) throw new Refusal(place, `no log of the policy has signed its checkpoint of ${origin}`)
  if (sealedAt < 0)
    throw new Refusal(place, `no log of the policy has signed the time of its checkpoint of ${origin}`)
  for (const { name, verifier } of policy.witnesses) {
    const at = await signedAt(note, verifier, place)
    if (at !== undefined) cosigned.set(name, at)
  }
  return { ...checkpoint, sealedAt, cosigned }
}

/**
 * Checks the signatures of one key on a note.
 * @param {Note} note
 * @param {Verifier} verifier
 * @param {string} place
 * @returns {Promise<number | undefined>}  the earliest time, in seconds; 0 of a signature without time; undefined: it has not signed
 */
async function signedAt({ text, signatures }, { name, type, key }, place) {
  const id = toHex(keyId(name, type, key))
  let earliest
  for (const { name: by, bytes } of signatures) {
    if (by !== name || toHex(bytes.subarray(0, 4)) !== id) continue
    const isTimed = type === types.cosignature
    if (bytes.length !== (isTimed ? 76 : 68))
      throw new Refusal(place, `the signature of ${by} has another length`)
    const seconds = isTimed ? secondsIn(bytes.subarray(4, 12)) : 0
    const message = utf8(isTimed ? `cosignature/v1\ntime ${seconds}\n${text}` : text)
    const isValid =
      seconds <= secondsMax && (await isSignedBy(key, message, bytes.subarray(isTimed ? 12 : 4)))
    if (!isValid) throw new Refusal(place, `the signature of ${by} does not verify`)
    earliest = Math.min(earliest ?? seconds, seconds)
  }
  return earliest
}

/** The end of the year 9999. */
const secondsMax = 253_402_300_799

/** @param {Uint8Array} bytes */
const secondsIn = (bytes) => Number(new DataView(bytes.buffer, bytes.byteOffset, 8).getBigUint64(0))

/** @param {number} seconds */
const instantOf = (seconds) => new Date(seconds * 1_000).toISOString().replace('.000Z', 'Z')

/**
 * @param {string} text  of a note
 * @param {string} place
 * @returns {Checkpoint}
 */
function readCheckpoint(text, place) {
  const [, origin, size, root] = /^([^\n]+)\n(0|[1-9]\d{0,15})\n([^\n]+)\n$/.exec(text) ?? []
  const bytes = fromBase64(root ?? '')
  if (!origin || !Number.isSafeInteger(Number(size)) || bytes?.length !== 32)
    throw new Refusal(place, 'it is not a checkpoint: origin, size and root, each on a line')
  return { origin, size: Number(size), root: bytes }
}

// ---- Signed notes, C2SP signed-note

/** @typedef {{ name: string, type: number, key: Uint8Array }} Verifier */
/** @typedef {{ text: string, signatures: { name: string, bytes: Uint8Array }[] }} Note */

const types = { ed25519: 1, cosignature: 4 }

/**
 * @param {string} note
 * @param {string} place
 * @returns {Note}
 */
export function readNote(note, place = 'note') {
  const refusal = (/** @type {string} */ problem) =>
    new Refusal(place, `its checkpoint is not a signed note: ${problem}`)
  if (note.length > limits.noteCharsMax) throw refusal('it is too long')
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0009\u000b-\u001f\u007f]/.test(note) || !note.isWellFormed())
    throw refusal('it has a control character')
  const split = note.lastIndexOf('\n\n')
  if (split < 0 || !note.endsWith('\n')) throw refusal('it has no signatures')
  const lines = note.slice(split + 2, -1).split('\n')
  if (lines.length > limits.noteSignaturesMax) throw refusal('it has too many signatures')
  const signatures = lines.map((line) => {
    const [, name, base64] = /^\u2014 ([^ +]+) ([^ ]+)$/.exec(line) ?? []
    const bytes = fromBase64(base64 ?? '')
    if (!name || /\s/u.test(name) || !bytes || bytes.length < 5)
      throw refusal('a signature line has another form')
    return { name, bytes }
  })
  return { text: note.slice(0, split + 1), signatures }
}

/**
 * Whether a key has signed a note. A signature of that key that does not verify is refused.
 * @param {string} note
 * @param {string} vkey
 */
export async function isNoteSignedBy(note, vkey) {
  const verifier = readVkey(vkey)
  if (!verifier) throw new PolicyError(`${shown(vkey)} is not a verifier key`)
  try {
    return (await signedAt(readNote(note), verifier, 'note')) !== undefined
  } catch (error) {
    if (error instanceof Refusal) return false
    throw error
  }
}

/**
 * `<name>+<hex key id>+<base64 of type and key>`
 * @param {string} text
 * @returns {Verifier | undefined}  undefined where it is not one
 */
function readVkey(text) {
  const [, name, id, base64] = /^([^ +]+)\+([0-9a-f]{8})\+([^ ]+)$/.exec(text) ?? []
  const bytes = fromBase64(base64 ?? '')
  if (!name || !bytes || bytes.length !== 33) return undefined
  const [type = 0] = bytes
  const key = bytes.slice(1)
  return toHex(keyId(name, type, key)) === id ? { name, type, key } : undefined
}

/**
 * @param {string} name
 * @param {number} type
 * @param {Uint8Array} key
 */
const keyId = (name, type, key) => sha256(concat(utf8(`${name}\n`), Uint8Array.of(type), key)).subarray(0, 4)

// ---- Policy, C2SP tlog-policy

/** @typedef {{ name: string, needs: number, members: Quorum[] }} Quorum  a witness has no members */
/** @typedef {{ logs: Verifier[], witnesses: { name: string, verifier: Verifier }[], quorum: Quorum | undefined }} Policy */

/** @typedef {'export' | 'proof' | 'checkpoint' | 'receipt'} What  a kind of file */

/**
 * The options, and the kinds of files that are held to each.
 * @type {Record<keyof Options, { option: string, of: What[] }>}
 */
const heldTo = {
  policy: { option: '--policy', of: ['export', 'proof', 'checkpoint'] },
  checkpoints: { option: '--checkpoint', of: ['export', 'proof', 'checkpoint'] },
  consistency: { option: '--consistency', of: ['proof', 'checkpoint'] },
  action: { option: '--action', of: ['export', 'proof'] },
  unsealed: { option: '--unsealed', of: ['export'] },
  jwks: { option: '--jwks', of: ['receipt'] },
  payload: { option: '--payload', of: ['receipt'] },
  issuer: { option: '--issuer', of: ['receipt'] },
  account: { option: '--account', of: ['receipt'] },
  kind: { option: '--kind', of: ['receipt'] },
  minStrength: { option: '--min-strength', of: ['receipt'] },
  now: { option: '--at', of: ['receipt'] },
}

/**
 * Refuses what is not looked at: a demand that nothing reads would pass for one that is met.
 * @param {What} what
 * @param {Options} options
 */
function requireRead(what, options) {
  for (const [name, given] of Object.entries(options)) {
    if (!Object.hasOwn(heldTo, name)) throw new TypeError(`There is no option ${name}.`)
    const { option, of } = heldTo[/** @type {keyof Options} */ (name)]
    if (of.includes(what) || !given || (Array.isArray(given) && given.length === 0)) continue
    const kinds = `${of.join('s, ')}s`.replace(/, (\w+)$/, ' and $1')
    const article = what === 'export' ? 'an' : 'a'
    throw new PolicyError(`${option} is for ${kinds}, and this file is ${article} ${what}`)
  }
  if (options.consistency !== undefined && !options.checkpoints?.length)
    throw new PolicyError('--consistency needs --checkpoint: the checkpoint that the path begins or ends at')
}

/**
 * @param {What} what
 * @param {Options} options
 */
function policyOf(what, options) {
  if (options.policy === undefined)
    throw new PolicyError(
      'exports, proofs and checkpoints need --policy: a file that names the keys you trust',
    )
  requireRead(what, options)
  return readPolicy(plain(options.policy))
}

/**
 * @param {string} text
 * @returns {Policy}
 * @throws {PolicyError}
 */
export function readPolicy(text) {
  const lines = text.split('\n')
  if (text.length > limits.policyBytesMax || lines.length > limits.policyLinesMax)
    throw new PolicyError('the policy is too long')
  /** @type {Reading} */
  const reading = {
    policy: { logs: [], witnesses: [], quorum: undefined },
    names: new Map(),
    members: new Set(),
    keys: new Set(),
    hasQuorum: false,
  }
  for (const [i, line] of lines.entries()) {
    const problem = takePolicyLine(reading, line)
    if (problem) throw new PolicyError(`line ${i + 1} of the policy: ${problem}`)
  }
  if (!reading.hasQuorum)
    throw new PolicyError('the policy has no quorum line. Without witnesses, write: quorum none')
  return reading.policy
}

/**
 * @typedef {object} Reading
 * @property {Policy} policy
 * @property {Map<string, Quorum>} names
 * @property {Set<string>} members  names that are in a group
 * @property {Set<string>} keys  each key once: a log that is its own witness would prove nothing
 * @property {boolean} hasQuorum
 */

/**
 * @param {Reading} reading
 * @param {string} line
 * @returns {string | undefined}  what is wrong with it
 */
function takePolicyLine(reading, line) {
  // oxlint-disable-next-line no-control-regex
  if (/[\u0000-\u0008\u000b-\u001f\u007f]/.test(line)) return 'it has a control character'
  const [word, ...items] = line.split(/[ \t]+/).filter((item) => item !== '')
  if (word === undefined || word.startsWith('#')) return undefined
  if (word === 'log') return takeLog(reading, items)
  if (word === 'witness') return takeWitness(reading, items)
  if (word === 'group') return takeGroup(reading, items)
  return word === 'quorum'
    ? takeQuorum(reading, items)
    : `${shown(word)} is not log, witness, group or quorum`
}

/**
 * @param {Reading} reading
 * @param {string[]} items
 */
function takeLog({ policy, keys }, [vkey = '', ...more]) {
  const verifier = readVkey(vkey)
  if (!verifier || more.length > 1) return 'it must be: log VKEY [URL]'
  if (verifier.type !== types.ed25519) return 'the key of a log must be of type 1, Ed25519'
  if (isTaken(keys, verifier))
    return 'another line has the same key. The key of HOST/epochs also stands for HOST/ledger/ACCOUNT'
  policy.logs.push(verifier)
  return policy.logs.length > limits.policyNamesMax ? 'there are too many logs' : undefined
}

/**
 * @param {Reading} reading
 * @param {string[]} items
 */
function takeWitness({ policy, names, keys }, [name, vkey = '', ...more]) {
  const verifier = readVkey(vkey)
  if (!name || !verifier || more.length > 1) return 'it must be: witness NAME VKEY [URL]'
  if (verifier.type !== types.cosignature)
    return 'the key of a witness must be of type 4, an Ed25519 cosignature'
  if (isTaken(keys, verifier)) return 'another log or witness has the same key'
  policy.witnesses.push({ name, verifier })
  return define(names, { name, needs: 1, members: [] })
}

/**
 * @param {Set<string>} keys
 * @param {Verifier} verifier
 */
function isTaken(keys, { key }) {
  const known = toHex(key)
  if (keys.has(known)) return true
  keys.add(known)
  return false
}

/**
 * @param {Reading} reading
 * @param {string[]} items
 */
function takeGroup({ names, members: taken }, [name, threshold = '', ...of]) {
  const members = of.map((one) => names.get(one))
  const unknown = of.find((one) => !names.has(one))
  if (!name || of.length === 0) return 'it must be: group NAME N|any|all MEMBER…'
  if (unknown !== undefined) return `${shown(unknown)} is not defined above`
  const count = /^[1-9]\d{0,3}$/.test(threshold) ? Number(threshold) : 0
  const needs = threshold === 'any' ? 1 : threshold === 'all' ? of.length : count
  if (needs < 1 || needs > of.length)
    return `its threshold must be any, all, or a number from 1 to ${of.length}`
  for (const one of of) {
    if (taken.has(one)) return `${shown(one)} is already a member of a group`
    taken.add(one)
  }
  return define(names, { name, needs, members: /** @type {Quorum[]} */ (members) })
}

/**
 * @param {Map<string, Quorum>} names
 * @param {Quorum} one
 */
function define(names, one) {
  if (one.name === 'none' || names.has(one.name)) return `the name ${shown(one.name)} is taken`
  names.set(one.name, one)
  return names.size > limits.policyNamesMax ? 'there are too many witnesses and groups' : undefined
}

/**
 * @param {Reading} reading
 * @param {string[]} items
 */
function takeQuorum(reading, [name = '', ...more]) {
  if (reading.hasQuorum) return 'there is a second quorum'
  if (more.length > 0 || (name !== 'none' && !reading.names.has(name)))
    return 'it must be: quorum NAME, of a witness or group above, or none'
  reading.hasQuorum = true
  reading.policy.quorum = reading.names.get(name)
  return undefined
}

/**
 * @param {Quorum} quorum
 * @param {Set<string>} cosigned  names of witnesses
 * @returns {boolean}
 */
function isMet({ name, needs, members }, cosigned) {
  if (members.length === 0) return cosigned.has(name)
  return members.filter((member) => isMet(member, cosigned)).length >= needs
}

// ---- Proofs, C2SP tlog-proof

/**
 * @param {string} text
 * @param {string} place
 */
function readTlogProof(text, place) {
  const refusal = (/** @type {string} */ problem) =>
    new Refusal(place, `its proof has another form: ${problem}`)
  const split = text.indexOf('\n\n')
  const lines = text.slice(0, Math.max(split, 0)).split('\n')
  if (lines.shift() !== proofHeader) throw refusal('it does not begin as a proof')
  const extra = lines[0]?.startsWith('extra ')
    ? fromBase64(/** @type {string} */ (lines.shift()).slice(6))
    : null
  if (extra === undefined) throw refusal('extra is not base64')
  const [, index] = /^index (0|[1-9]\d{0,15})$/.exec(lines.shift() ?? '') ?? []
  if (!Number.isSafeInteger(Number(index ?? Number.NaN))) throw refusal('the index is missing')
  if (lines.length > limits.pathHashesMax) throw refusal('the path is too long')
  const path = lines.map((line) => fromBase64(line))
  if (!path.every((hash) => hash?.length === 32)) throw refusal('a hash of the path is not 32 bytes')
  return {
    extra,
    index: Number(index),
    path: /** @type {Uint8Array[]} */ (path),
    checkpoint: text.slice(split + 2),
  }
}

// ---- Merkle trees, RFC 6962 section 2.1

/** @param {Uint8Array} data */
export const leafHash = (data) => sha256(concat(leafPrefix, data))

const leafPrefix = Uint8Array.of(0)
const nodeText = new Uint8Array(65).fill(1, 0, 1)

/**
 * @param {Uint8Array} left
 * @param {Uint8Array} right
 */
function nodeHash(left, right) {
  nodeText.set(left, 1)
  nodeText.set(right, 33)
  return sha256(nodeText)
}

/**
 * Whether a path leads from a leaf to the root.
 * @param {{ index: number, size: number, leaf: Uint8Array, path: Uint8Array[], root: Uint8Array }} proof
 */
export function isIncluded({ index, size, leaf, path, root }) {
  // Beyond the text of the RFC: hashes of another length, and an index outside of the tree, would pass it.
  if (!isIndex(index) || !isIndex(size) || index >= size) return false
  if (path.length > limits.pathHashesMax || ![leaf, root, ...path].every(isHash)) return false
  let [fn, sn] = [BigInt(index), BigInt(size) - 1n]
  let hash = leaf
  for (const next of path) {
    if (sn === 0n) return false
    if (fn % 2n === 1n || fn === sn) {
      hash = nodeHash(next, hash)
      while (fn % 2n === 0n && fn !== 0n) [fn, sn] = [fn / 2n, sn / 2n]
    } else {
      hash = nodeHash(hash, next)
    }
    ;[fn, sn] = [fn / 2n, sn / 2n]
  }
  return sn === 0n && isSame(hash, root)
}

/**
 * Whether a tree of `size2` begins with the tree of `size1`.
 * @param {{ size1: number, size2: number, root1: Uint8Array, root2: Uint8Array, path: Uint8Array[] }} proof
 */
export function isConsistent({ size1, size2, root1, root2, path }) {
  // Every tree begins with the empty one: that proves nothing.
  if (!isIndex(size1) || !isIndex(size2) || size1 === 0 || size1 > size2) return false
  if (path.length > limits.pathHashesMax || ![root1, root2, ...path].every(isHash)) return false
  if (size1 === size2) return path.length === 0 && isSame(root1, root2)
  let [fn, sn] = [BigInt(size1) - 1n, BigInt(size2) - 1n]
  while (fn % 2n === 1n) [fn, sn] = [fn / 2n, sn / 2n]
  // The first tree is complete, so it is a node of the second one.
  const [first, ...rest] = fn === 0n ? [root1, ...path] : path
  if (!first) return false
  let [hash1, hash2] = [first, first]
  for (const next of rest) {
    if (sn === 0n) return false
    if (fn % 2n === 1n || fn === sn) {
      hash1 = nodeHash(next, hash1)
      hash2 = nodeHash(next, hash2)
      while (fn % 2n === 0n && fn !== 0n) [fn, sn] = [fn / 2n, sn / 2n]
    } else {
      hash2 = nodeHash(hash2, next)
    }
    ;[fn, sn] = [fn / 2n, sn / 2n]
  }
  return sn === 0n && isSame(hash1, root1) && isSame(hash2, root2)
}

/**
 * The root over the first leaves: in little time for sizes that grow.
 * @param {() => Uint8Array} leaves  of 32 bytes each, one behind the other
 * @returns {(size: number) => Uint8Array}
 */
export function growingRoot(leaves) {
  /** @type {Uint8Array[]} The roots of the complete trees so far, the largest first. */
  const complete = []
  let count = 0
  return (size) => {
    const data = leaves()
    if (size < count) {
      complete.length = 0
      count = 0
    }
    for (; count < size; count += 1) {
      let hash = leafHash(data.subarray(count * 32, count * 32 + 32))
      for (let n = count; n % 2 === 1; n = (n - 1) / 2) {
        const left = complete.pop()
        if (left) hash = nodeHash(left, hash)
      }
      complete.push(hash)
    }
    return complete.length === 0
      ? sha256(new Uint8Array())
      : complete.reduceRight((right, left) => nodeHash(left, right))
  }
}

// ---- Receipts, RFC 7515 and RFC 8037

const receiptForm = {
  iss: isString,
  sub: isString,
  account: isAccount,
  action: isCount,
  kind: isString,
  digest: isHexHash,
  payload_sha256: isHexHash,
  consent: isObject,
  iat: isCount,
  exp: isCount,
}

/**
 * @param {string} jws
 * @param {Options} options
 * @returns {Promise<Verdict>}
 */
async function verifyReceipt(jws, options) {
  const { jwks } = options
  if (jwks === undefined) throw new PolicyError('receipts need --jwks: a file with the keys of the gate')
  requireRead('receipt', options)
  if (jws.length > limits.receiptCharsMax) throw new Refusal('receipt', 'it is too long')
  const [header, body, signature, ...more] = jws.split('.').map((part) => fromBase64(part, true))
  if (!header || !body || !signature || more.length > 0)
    throw new Refusal('receipt', 'it is not a compact JWS')
  const key = receiptKey(header, jwks)
  const signed = utf8(jws.slice(0, jws.lastIndexOf('.')))
  if (!(await isSignedBy(key, signed, signature)))
    throw new Refusal('receipt', 'its signature does not verify')
  const claims = parseObject(decodeUtf8(body, 'receipt')) ?? {}
  for (const [name, isOfForm] of Object.entries(receiptForm))
    if (!isOfForm(claims[name]))
      throw new Refusal('receipt', `its claim ${name} is missing or has another form`)
  const { strength, by, at, channel } = /** @type {Record<string, unknown>} */ (claims.consent)
  if (!isString(strength) || !strengths.includes(strength) || !isString(by) || !isInstant(at))
    throw new Refusal('receipt', 'its claim consent is missing or has another form')
  checkReceipt({ ...claims, strength }, options)
  const evidence = await proveReceipt(claims, strength)
  const { account, action, kind, iss, exp } = claims
  const isChecked = options.payload !== undefined
  const consent = {
    action,
    by,
    at,
    strength,
    channel,
    ...(evidence ? { passkey: passkeyFacts(evidence) } : {}),
  }
  return {
    ok: true,
    what: 'receipt',
    words: [
      `consented by ${shown(by)} at ${at} (${[strength, channel].filter(isString).map(shown).join(', ')}), signed by ${shown(String(iss))}.`,
      `Action ${String(action)} of ${String(account)}, ${shown(String(kind))}, valid until ${instantOf(Number(exp))}.`,
      isChecked
        ? 'The payload is the one that was consented to.'
        : 'The payload was not checked: give it with --payload.',
      ...attestedWords(strength),
      ...passkeyWords(evidence),
    ],
    facts: {
      account,
      action,
      kind,
      issuer: iss,
      expires_at: instantOf(Number(exp)),
      payload: isChecked ? 'matches' : 'not checked',
      consent,
    },
  }
}

/**
 * The evidence of a receipt, proven against its own digest and card.
 * @param {Record<string, unknown>} claims
 * @param {string} strength
 */
async function proveReceipt({ consent, digest }, strength) {
  const given = /** @type {Record<string, unknown>} */ (consent)
  const { passkey, display_sha256: card } = given
  const mandate = given.by === 'mandate' ? 'unnamed' : undefined
  const told = { kind: 'confirmed', data: { passkey, strength, mandate } }
  const evidence = requireEvidence(/** @type {Entry} */ (/** @type {unknown} */ (told)), 'receipt')
  if (!evidence) return undefined
  if (evidence.digest !== digest)
    throw new Refusal('receipt', 'its passkey does not prove it: it is about another digest')
  await proveSigned(evidence, { decision: 1, card }, 'receipt')
  return evidence
}

/**
 * @param {Record<string, unknown>} claims
 * @param {Options} options
 */
function checkReceipt(claims, { issuer, account, kind, minStrength, payload, now = new Date() }) {
  const refuse = (/** @type {string} */ problem) => {
    throw new Refusal('receipt', problem)
  }
  for (const [name, wanted] of Object.entries({ iss: issuer, account, kind }))
    if (wanted !== undefined && claims[name] !== wanted)
      refuse(`its ${name} is ${shown(String(claims[name]))}, not ${shown(wanted)}`)
  if (
    minStrength !== undefined &&
    strengths.indexOf(String(claims.strength)) < strengths.indexOf(minStrength)
  )
    refuse(`its consent is ${String(claims.strength)}, weaker than ${minStrength}`)
  const seconds = now.getTime() / 1_000
  if (Number(claims.exp) > secondsMax || Number(claims.exp) <= seconds) refuse('it has expired')
  if (Number(claims.iat) > seconds + 60) refuse('it is from the future')
  if (payload !== undefined && payloadHash(payload) !== claims.payload_sha256)
    refuse('the payload is not the one that was consented to')
}

/**
 * @param {Uint8Array} header
 * @param {string} jwks
 */
function receiptKey(header, jwks) {
  const { alg, typ, kid, ...more } = parseObject(decodeUtf8(header, 'receipt')) ?? {}
  if (alg !== 'EdDSA') throw new Refusal('receipt', `its alg is ${shown(String(alg))}, not EdDSA`)
  if (typ !== 'gate-receipt+jwt')
    throw new Refusal('receipt', `its typ is ${shown(String(typ))}, not gate-receipt+jwt`)
  if (!isString(kid) || Object.keys(more).length > 0)
    throw new Refusal('receipt', 'its header has another form')
  const keys = parseObject(plain(jwks))?.keys
  if (!Array.isArray(keys)) throw new PolicyError('the file of --jwks is not a JSON Web Key Set')
  if (keys.some((one) => isObject(one) && ('d' in one || 'k' in one)))
    throw new PolicyError('the file of --jwks has a secret: it must have public keys alone')
  const [key, second] = keys.filter((one) => isObject(one) && one.kid === kid)
  if (!key) throw new Refusal('receipt', `its key ${shown(kid)} is not among the keys`)
  const x = fromBase64(isString(key.x) ? key.x : '', true)
  if (second || key.kty !== 'OKP' || key.crv !== 'Ed25519' || (key.alg ?? alg) !== alg || x?.length !== 32)
    throw new Refusal('receipt', `its key ${shown(kid)} is not one Ed25519 key`)
  return x
}

/** @param {Uint8Array} payload */
function payloadHash(payload) {
  try {
    const text = plain(decodeUtf8(payload, 'payload'))
    const value = JSON.parse(text)
    const problem = payloadProblem(text)
    if (problem) throw new Refusal('payload', problem)
    return toHex(sha256(utf8(canonical(value))))
  } catch (error) {
    if (error instanceof Refusal) throw error
    throw new Refusal('payload', 'it is not JSON')
  }
}

/**
 * Why another program may read a payload, which `JSON.parse` took, as another value: it is not I-JSON, RFC 7493.
 * @param {string} json
 * @returns {string | undefined}
 */
export function payloadProblem(json) {
  /** @type {Set<string>[]} the names of each object that is open; of a list there are none */
  const open = []
  for (const [token] of json.matchAll(/"[^"\\]*(?:\\[^]?[^"\\]*)*(?:"(?:\s*:)?|$)|-?\d[\d.eE+-]*|[[\]{}]/g)) {
    if (token === '{' || token === '[') open.push(new Set())
    else if (token === '}' || token === ']') open.pop()
    else {
      const problem = token.startsWith('"') ? stringProblem(token, open.at(-1)) : numberProblem(token)
      if (problem) return problem
    }
  }
  return undefined
}

/**
 * @param {string} token  with a colon after it: a name
 * @param {Set<string> | undefined} names
 */
function stringProblem(token, names) {
  const end = token.lastIndexOf('"') + 1
  const text = JSON.parse(token.slice(0, end))
  if (!text.isWellFormed()) return 'it has a text with half a character'
  if (end === token.length) return undefined
  if (names?.has(text)) return `the name ${shown(text.slice(0, 64))} stands twice in one object`
  names?.add(text)
  return undefined
}

/** @param {string} token */
function numberProblem(token) {
  const number = Number(token)
  if (token.length > limits.numberCharsMax)
    return `it has a number of more than ${limits.numberCharsMax} characters`
  if (Math.abs(number) > Number.MAX_SAFE_INTEGER)
    return `the number ${token} is beyond 9007199254740991, which readers of JSON round`
  if (decimal(token) !== decimal(String(number)))
    return `the number ${token} is rounded when it is read: write ${number}`
  return undefined
}

/**
 * The digits of a number and the power of ten that they are times, in one form for all ways to write it.
 * @param {string} number
 */
function decimal(number) {
  const [mantissa = '', exponent = '0'] = number.toLowerCase().replace(/^-/, '').split('e')
  const [whole = '', fraction = ''] = mantissa.split('.')
  const digits = (whole + fraction).replace(/^0+/, '')
  const short = digits.replace(/(?<!0)0+$/, '')
  return short && `${short}e${Number(exponent) - fraction.length + digits.length - short.length}`
}

/**
 * The RFC 8785 form of a JSON value.
 * @param {unknown} value
 * @returns {string}
 */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  if (!isObject(value)) return JSON.stringify(value)
  const names = Object.keys(value).toSorted()
  return `{${names.map((name) => `${JSON.stringify(name)}:${canonical(value[name])}`).join(',')}}`
}

// ---- Forms of values

/**
 * Whether a text is a value as `JSON.stringify` writes it.
 * @param {unknown} value
 * @param {string} text
 */
const isWritten = (value, text) => JSON.stringify(value) === text

/**
 * A line of JSON with these fields and no others, written as `JSON.stringify` does.
 * @param {string} text
 * @param {Form} form
 * @param {string} place
 * @returns {any}
 */
function readJson(text, form, place) {
  const value = parseObject(text)
  if (value && hasForm(value, form) && isWritten(value, text)) return value
  throw new Refusal(place, `it has another form than ${Object.keys(form).join(', ')}`)
}

/**
 * @param {Record<string, unknown>} value
 * @param {Form} form
 */
function hasForm(value, form) {
  const names = Object.keys(form)
  return Object.keys(value).join() === names.join() && names.every((name) => form[name]?.(value[name]))
}

/**
 * @param {string} text
 * @returns {Record<string, unknown> | undefined}
 */
function parseObject(text) {
  try {
    const value = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * @param {unknown} value
 * @returns {value is Record<string, unknown>}
 */
function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isString(value) {
  return typeof value === 'string'
}

/**
 * @param {unknown} value
 * @returns {value is number}
 */
function isCount(value) {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

/** @param {unknown} value */
function isAccount(value) {
  return isString(value) && /^acct_[0-9A-Za-z]{16}$/.test(value)
}

/** @param {unknown} value */
function isHexHash(value) {
  return isString(value) && /^[0-9a-f]{64}$/.test(value)
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isInstant(value) {
  if (!isString(value) || !/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value)) return false
  const time = new Date(value)
  return !Number.isNaN(time.getTime()) && time.toISOString() === value
}

/** @param {number} value */
const isIndex = (value) => Number.isSafeInteger(value) && value >= 0

/** @param {Uint8Array} value */
const isHash = (value) => value.length === 32

/**
 * @param {Uint8Array} a
 * @param {Uint8Array} b
 */
const isSame = (a, b) => a.length === b.length && a.every((byte, i) => byte === b[i])

/**
 * Text that is safe to print: nothing invisible, nothing that steers a terminal.
 * @param {string} text
 */
const shown = (text) =>
  text.replace(/[^\x20-\x7e]/gu, (sign) => `\\u{${/** @type {number} */ (sign.codePointAt(0)).toString(16)}}`)

// ---- Bytes

const encoder = new TextEncoder()
// A byte order mark is a byte too many, and stays.
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })
const newline = Uint8Array.of(10)

/** @param {string} text */
const utf8 = (text) => encoder.encode(text)

/**
 * @param {Uint8Array} bytes
 * @param {string} place
 */
function decodeUtf8(bytes, place) {
  try {
    return decoder.decode(bytes)
  } catch {
    throw new Refusal(place, 'it is not UTF-8 text')
  }
}

/** @param {...Uint8Array} parts */
function concat(...parts) {
  const all = new Uint8Array(parts.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const part of parts) {
    all.set(part, offset)
    offset += part.length
  }
  return all
}

const hexOf = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'))

/** @param {Uint8Array} bytes */
function toHex(bytes) {
  let text = ''
  for (const byte of bytes) text += hexOf[byte]
  return text
}

/** @param {string} text  hex of a hash, checked */
function fromHex(text) {
  const bytes = new Uint8Array(text.length / 2)
  const view = new DataView(bytes.buffer)
  // Hashes, which are most of a ledger, four bytes at once.
  const whole = bytes.length & ~3
  for (let i = 0; i < whole; i += 4) view.setUint32(i, Number.parseInt(text.slice(i * 2, i * 2 + 8), 16))
  for (let i = whole; i < bytes.length; i += 1) bytes[i] = Number.parseInt(text.slice(i * 2, i * 2 + 2), 16)
  return bytes
}

/**
 * Each sequence of bytes has one text, so that no bit of the text is without meaning.
 * @param {string} text
 * @param {boolean} [isUrl]  in the alphabet of RFC 4648 section 5, without padding
 * @returns {Uint8Array | undefined}
 */
function fromBase64(text, isUrl = false) {
  if (isUrl && /[+/=]/.test(text)) return undefined
  const plain = isUrl ? text.replaceAll('-', '+').replaceAll('_', '/') : text
  const padded = isUrl ? plain.padEnd(Math.ceil(plain.length / 4) * 4, '=') : plain
  if (!base64Form.test(padded)) return undefined
  const signs = atob(padded)
  const bytes = new Uint8Array(signs.length)
  for (let at = 0; at < signs.length; at += 1) bytes[at] = signs.charCodeAt(at)
  return bytes
}

const base64Form = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/

// ---- Cryptography: SHA-256 of our own where Node's is absent, Ed25519 of the platform

const nodeCrypto = globalThis.process?.versions?.node ? await import('node:crypto') : undefined

/**
 * @param {Uint8Array} data
 * @returns {Uint8Array}
 */
export function sha256(data) {
  // From Node 20.12 on, half of the time of an object that is made for it.
  if (nodeCrypto?.hash) return nodeCrypto.hash('sha256', data, 'buffer')
  const hash = hasher()
  hash.update(data)
  return hash.digest()
}

/** @typedef {{ update(data: Uint8Array): void, digest(): Uint8Array }} Hasher  `digest` leaves it as it is */

/** @returns {Hasher} */
function hasher() {
  if (!nodeCrypto) return ownHasher()
  const hash = nodeCrypto.createHash('sha256')
  return { update: (data) => void hash.update(data), digest: () => hash.copy().digest() }
}

/** The first 32 bits behind the point of roots of the first primes. FIPS 180-4 section 4.2.2 and 5.3.3. */
const primes = Array.from({ length: 312 }, (_, n) => n).filter(
  (n) => n > 1 && ![2, 3, 5, 7, 11, 13, 17].some((d) => d < n && n % d === 0),
)
const fraction = (/** @type {number} */ x) => Math.floor((x - Math.floor(x)) * 2 ** 32)
const roundConstants = Int32Array.from(primes, (p) => fraction(Math.cbrt(p)))
const startState = Int32Array.from(primes.slice(0, 8), (p) => fraction(Math.sqrt(p)))
const schedule = new Int32Array(64)

/**
 * SHA-256 as FIPS 180-4 has it.
 * @returns {Hasher}
 */
export function ownHasher() {
  const state = Int32Array.from(startState)
  const buffer = new Uint8Array(64)
  let length = 0
  const fill = () => length % 64
  return {
    update(data) {
      let taken = 0
      if (fill() > 0) {
        taken = Math.min(64 - fill(), data.length)
        buffer.set(data.subarray(0, taken), fill())
        length += taken
        if (fill() > 0 || taken === 0) return
        compress(state, buffer, 0)
      }
      for (; taken + 64 <= data.length; taken += 64, length += 64) compress(state, data, taken)
      buffer.set(data.subarray(taken))
      length += data.length - taken
    },
    digest() {
      const ended = Int32Array.from(state)
      const last = new Uint8Array(fill() < 56 ? 64 : 128)
      last.set(buffer.subarray(0, fill()))
      last[fill()] = 0x80
      const view = new DataView(last.buffer)
      view.setUint32(last.length - 8, Math.floor(length / 2 ** 29))
      view.setUint32(last.length - 4, (length * 8) % 2 ** 32)
      for (let at = 0; at < last.length; at += 64) compress(ended, last, at)
      const hash = new DataView(new ArrayBuffer(32))
      for (const [i, word] of ended.entries()) hash.setInt32(i * 4, word)
      return new Uint8Array(hash.buffer)
    },
  }
}

/**
 * @param {Int32Array} state
 * @param {Uint8Array} data
 * @param {number} offset
 */
function compress(state, data, offset) {
  /** @type {any} Elements of typed arrays, without a check of each. */
  const [w, k, bytes] = [schedule, roundConstants, data]
  for (let i = 0, at = offset; i < 16; i += 1, at += 4)
    w[i] = (bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]
  for (let i = 16; i < 64; i += 1) {
    const x = w[i - 15]
    const y = w[i - 2]
    const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
    const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
    w[i] = w[i - 16] + s0 + w[i - 7] + s1
  }
  /** @type {any} */
  let [a, b, c, d, e, f, g, h] = state
  for (let i = 0; i < 64; i += 1) {
    const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const t1 = (h + s1 + ((e & f) ^ (~e & g)) + k[i] + w[i]) | 0
    const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + t1) | 0
    d = c
    c = b
    b = a
    a = (t1 + t2) | 0
  }
  const added = [a, b, c, d, e, f, g, h]
  for (let i = 0; i < 8; i += 1) state[i] = (state[i] ?? 0) + added[i]
}

/**
 * Whether an Ed25519 key signed the message.
 * @param {Uint8Array} key  32 bytes
 * @param {Uint8Array} message
 * @param {Uint8Array} signature
 * @returns {Promise<boolean>}
 */
async function isSignedBy(key, message, signature) {
  if (signature.length !== 64) return false
  if (nodeCrypto) {
    const x = Buffer.from(key).toString('base64url')
    const jwk = nodeCrypto.createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' })
    return nodeCrypto.verify(null, message, jwk, signature)
  }
  const [raw, signed, text] = [key, signature, message].map((bytes) => bytes.slice().buffer)
  const imported = await crypto.subtle.importKey('raw', /** @type {ArrayBuffer} */ (raw), 'Ed25519', false, [
    'verify',
  ])
  return crypto.subtle.verify(
    'Ed25519',
    imported,
    /** @type {ArrayBuffer} */ (signed),
    /** @type {ArrayBuffer} */ (text),
  )
}

// ---- Reading

/**
 * The first characters of a file, and its bytes without a byte order mark.
 * @param {AsyncIterable<Uint8Array>} chunks
 */
async function peek(chunks) {
  const iterator = chunks[Symbol.asyncIterator]()
  /** @type {Uint8Array} */
  let head = new Uint8Array()
  let next = await iterator.next()
  for (; !next.done && head.length < 4; next = await iterator.next()) head = concat(head, next.value)
  const why = whyUnreadable(head)
  if (why) throw new Refusal('file', why)
  const start = head.subarray(hasMark(head) ? 3 : 0)
  async function* rest() {
    yield start
    for (; !next.done; next = await iterator.next()) yield next.value
  }
  return { first: new TextDecoder('latin1').decode(start.subarray(0, 64)), rest: rest() }
}

/**
 * Why the bytes that a file begins with are not those of a text in UTF-8.
 * @param {Uint8Array} head
 */
function whyUnreadable([a, b, c, d]) {
  if (a === undefined) return 'it is empty'
  if ((a === 0xff && b === 0xfe) || (a === 0xfe && b === 0xff) || (a === 0) !== (b === 0))
    return 'it is text in UTF-16: save it as UTF-8'
  if (a === 0) return 'it has bytes that are zero: it is not text'
  if (a === 0x1f && b === 0x8b) return 'it is compressed (gzip): unpack it first'
  if (a === 0x28 && b === 0xb5 && c === 0x2f && d === 0xfd) return 'it is compressed (zstd): unpack it first'
  if (a === 0x50 && b === 0x4b && c === 3 && d === 4) return 'it is an archive (zip): unpack it first'
  return undefined
}

/** @param {Uint8Array} bytes */
const hasMark = ([a, b, c]) => a === 0xef && b === 0xbb && c === 0xbf

/**
 * The text of a file, without a byte order mark.
 * @param {Uint8Array} bytes
 * @throws {Refusal}
 */
export function textOfFile(bytes) {
  const why = whyUnreadable(bytes)
  if (why) throw new Refusal('file', why)
  if (bytes.includes(0)) throw new Refusal('file', 'it has bytes that are zero: it is not text')
  return decodeUtf8(bytes.subarray(hasMark(bytes) ? 3 : 0), 'file')
}

/**
 * A text without a byte order mark, and with the line ends that it was made with: programs of Windows change both.
 * @param {string} text
 */
const plain = (text) => text.replace(/^\ufeff/, '').replaceAll('\r\n', '\n')

/**
 * The text of a proof, a checkpoint or a receipt. It ends with one newline, whatever an editor made of that.
 * @param {Uint8Array} bytes
 */
function plainLines(bytes) {
  const text = plain(textOfFile(bytes))
  let end = text.length
  while (text[end - 1] === '\n') end -= 1
  return `${text.slice(0, end)}\n`
}

/** @param {AsyncIterable<Uint8Array>} chunks */
async function wholeOf(chunks) {
  const parts = []
  let length = 0
  for await (const chunk of chunks) {
    parts.push(chunk)
    length += chunk.length
    if (length > limits.smallFileBytesMax)
      throw new Refusal('file', 'it is too long for a proof or a receipt')
  }
  return concat(...parts)
}

/**
 * The lines of a text file, without what ends each, without a byte order mark, and without empty lines at the end.
 * @param {AsyncIterable<Uint8Array>} chunks
 * @throws {Refusal} of the place `file`: it cannot be read
 */
export async function* linesOfFile(chunks) {
  yield* linesOf((await peek(chunks)).rest)
}

/** @param {AsyncIterable<Uint8Array>} chunks */
async function* linesOf(chunks) {
  /** @type {boolean | undefined} */
  let isCrlf
  let empty = 0
  for await (const { bytes, isEnded } of rawLines(chunks)) {
    isCrlf ??= bytes.at(-1) === 13
    if (isCrlf && isEnded && bytes.at(-1) !== 13)
      throw new Refusal('file', 'some of its lines end with CRLF, and others with LF')
    const line = isCrlf && isEnded ? bytes.subarray(0, -1) : bytes
    if (line.length === 0) empty += 1
    else {
      for (; empty > 0; empty -= 1) yield new Uint8Array()
      yield line
    }
  }
}

/** @param {AsyncIterable<Uint8Array>} chunks */
async function* rawLines(chunks) {
  /** @type {Uint8Array} */
  let rest = new Uint8Array()
  for await (const chunk of chunks) {
    let start = 0
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      const line = chunk.subarray(start, end)
      yield { bytes: rest.length === 0 ? line : concat(rest, line), isEnded: true }
      rest = new Uint8Array()
      start = end + 1
    }
    rest = concat(rest, chunk.subarray(start))
    if (rest.length > limits.lineBytesMax) throw new Refusal('file', 'it has a line that is too long')
  }
  if (rest.length > 0) yield { bytes: rest, isEnded: false }
}

// ---- Command line

const usage = `Usage: verify FILE --policy POLICY [--checkpoint FILE]… [--consistency FILE] [--action N]
                   [--unsealed] [--json]
       verify FILE --jwks KEYS [--payload FILE] [--issuer URL] [--account A] [--kind K]
                   [--min-strength S] [--at TIME] [--json]

Checks a sealed export, a .tlog-proof, a checkpoint or a receipt of a Qualification Gate, offline.`

/**
 * Runs the command line.
 * @param {string[]} args
 * @param {{ stdout: { write(text: string): unknown }, stderr: { write(text: string): unknown } }} io
 * @returns {Promise<number>} the exit code: 0 valid, 1 not, 2 wrong usage or policy, or a file that cannot be read
 */
export async function run(args, { stdout, stderr }) {
  /** @type {Verdict} */
  let verdict
  let isJson = false
  try {
    const given = await readArguments(args)
    if (!given) {
      stdout.write(`${usage}\n`)
      return 0
    }
    isJson = given.isJson
    const { createReadStream } = await import('node:fs')
    verdict = await verifyFile(createReadStream(given.file), given.options)
  } catch (error) {
    const { code, message } = /** @type {NodeJS.ErrnoException} */ (error)
    if (!(error instanceof PolicyError) && !code) throw error
    stderr.write(`${error instanceof PolicyError ? message : shown(message)}\n`)
    return 2
  }
  if (isJson) stdout.write(`${asciiJson(verdict)}\n`)
  else if (verdict.ok) stdout.write(`${verdict.words.join('\n')}\n`)
  if (!verdict.ok) stderr.write(`${verdict.place}: ${verdict.problem}.\n`)
  return verdict.ok ? 0 : verdict.unreadable ? 2 : 1
}

/**
 * JSON in which everything that a terminal could act on is an escape. Read again, it is the same value.
 * @param {unknown} value
 */
const asciiJson = (value) =>
  JSON.stringify(value).replace(
    /[^\x20-\x7e]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )

/**
 * @param {string[]} args
 * @returns {Promise<{ file: string, isJson: boolean, options: Options } | undefined>}  undefined: asked for help
 */
async function readArguments(args) {
  const [{ parseArgs }, { readFileSync }] = [await import('node:util'), await import('node:fs')]
  const { values, positionals } = parseArgs({
    args,
    allowPositionals: true,
    options: {
      ...Object.fromEntries(
        Object.values(heldTo).map(({ option }) => [
          option.slice(2),
          { type: /** @type {'string'} */ ('string'), multiple: option === '--checkpoint' },
        ]),
      ),
      unsealed: { type: 'boolean' },
      json: { type: 'boolean' },
      help: { type: 'boolean', short: 'h' },
    },
  })
  if (values.help) return undefined
  const [file, ...more] = positionals
  if (file === undefined || more.length > 0) throw new PolicyError(usage)
  const given = /** @type {Record<string, any>} */ (values)
  const { action, at, issuer, account, kind, 'min-strength': minStrength } = given
  if (action !== undefined && !/^[1-9]\d{0,14}$/.test(action))
    throw new PolicyError('--action must be a number from 1')
  if (minStrength !== undefined && !strengths.includes(minStrength))
    throw new PolicyError(`--min-strength must be one of ${strengths.join(', ')}`)
  if (at !== undefined && Number.isNaN(Date.parse(at)))
    throw new PolicyError('--at must be a time, such as 2026-11-23T03:00:00Z')
  const bytesOf = (/** @type {string | undefined} */ path) =>
    path === undefined ? undefined : new Uint8Array(readFileSync(path))
  const textOf = (/** @type {string | undefined} */ path) =>
    path === undefined ? undefined : textOfOption(path, readFileSync(path))
  const options = {
    policy: textOf(given.policy),
    checkpoints: (given.checkpoint ?? []).map(textOf),
    consistency: textOf(given.consistency),
    action: action === undefined ? undefined : Number(action),
    unsealed: given.unsealed,
    jwks: textOf(given.jwks),
    payload: bytesOf(given.payload),
    now: at === undefined ? undefined : new Date(at),
    issuer,
    account,
    kind,
    minStrength,
  }
  return { file, isJson: values.json === true, options }
}

/**
 * @param {string} path
 * @param {Uint8Array} bytes
 */
function textOfOption(path, bytes) {
  try {
    return textOfFile(bytes)
  } catch (error) {
    if (!(error instanceof Refusal)) throw error
    throw new PolicyError(`${shown(path)} cannot be read: ${error.problem}`)
  }
}

/** Whether this file was started, and not imported. npx starts it through a link. */
async function isStarted() {
  const started = globalThis.process?.argv?.[1]
  if (!nodeCrypto || !started) return false
  const [{ realpathSync }, { fileURLToPath }] = [await import('node:fs'), await import('node:url')]
  try {
    return realpathSync(started) === realpathSync(fileURLToPath(import.meta.url))
  } catch {
    return false
  }
}

if (await isStarted()) process.exitCode = await run(process.argv.slice(2), process)
