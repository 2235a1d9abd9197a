import { dirname } from 'node:path'
import {
  type SealFault,
  type SealWork,
  type StoredSeal,
  readSealWork,
  setSealFaults,
  storeEpoch,
} from '../db/queries/ledger/sealing.ts'
import { limits } from '../limits.ts'
import { type NextSeal, nextSeal } from './account-seal.ts'
import { isOurs } from './checkpoints.ts'
import { cosign, isOfWitness } from './cosigning/cosign.ts'
import { holdEpoch, readHeldEpoch } from './held-epoch.ts'
import { type LogKeys, makeLogKey, readLogKeys } from './log-keys.ts'
import { type LogPlace, logPlace } from './log-place.ts'
import { nextEpoch } from './next-epoch.ts'
import { publish } from './publish.ts'
import { rollbackProblem } from './rollback.ts'
import type { SealerDeps } from './sealer-deps.ts'
import { MissingLeaves, tileWidth } from './tiled-tree.ts'
import { unsignedSeals } from './unsigned-seals.ts'

export interface SealReport {
  /** `off`: this process has no key that may sign. */
  state: 'sealed' | 'off' | 'attention'
  /** The last published epoch, 0 if there is none. */
  epoch: number
  /** The accounts that were sealed now, with the last sealed entry. */
  accounts: { account: string; seq: number }[]
  /** Of the whole log where `account` is empty. */
  faults: { account: string; problem: string }[]
  /** Why nothing is sealed, or which witnesses did not cosign. */
  why?: string
}

/**
 * Seals what is not sealed yet, epoch by epoch, until nothing is left. Any number of processes may do so at once.
 *
 * The order of steps makes a kill between any two harmless. An epoch is first stored without signatures, by one guarded statement:
 * of two processes one stores it, and it follows the last one. Then it is recorded outside of the database. Only then is it
 * signed and published; the next process checks and signs what is stored and not signed, which gives the same checkpoint.
 */
export async function sealLedgers(deps: SealerDeps): Promise<SealReport> {
  const work = await readSealWork(deps.db, '', limits.sealAccountsPerEpoch)
  const report: SealReport = { state: 'sealed', epoch: work.epoch?.size ?? 0, accounts: [], faults: [] }
  const place = logPlace(deps.config, work.log)
  const keys = keysFor(deps, work, place)
  if (typeof keys === 'string') return { ...report, state: 'off', why: keys }
  const problem = await obstacle(deps, work, keys)
  if (problem !== null) return refuse(deps, work, { problem })
  // Before anything is signed: what a witness holds may be all that is left of a lost history.
  const { conflict, silent } = await cosign(deps)
  const standing = work.faults.find((fault) => silent.some((name) => isOfWitness(fault, name)))
  if (conflict ?? standing) return refuse(deps, work, (conflict ?? standing)!)
  const finished = work.epoch === null || (await finish(deps, place, work.epoch, keys))
  if (finished === 'elsewhere') return { ...report, why: elsewhere }
  if (finished !== true && 'problem' in finished) return refuse(deps, work, finished)
  const sealed = await sealPages(deps, work, keys)
  if (sealed === 'elsewhere') return { ...report, why: elsewhere }
  if ('problem' in sealed) return refuse(deps, work, sealed)
  const cosigned = await cosign(deps)
  if (cosigned.conflict) return refuse(deps, work, cosigned.conflict)
  const faults = [...sealed.refused].map(([account, of]) => ({ account, problem: of }))
  await tellFaults(
    deps,
    work.faults,
    faults.map((fault) => ({ ...fault, held: 0 })),
  )
  return {
    state: faults.length > 0 ? 'attention' : 'sealed',
    epoch: sealed.epoch,
    accounts: [...sealed.accounts].map(([account, seq]) => ({ account, seq })),
    faults,
    ...(cosigned.missing === null ? {} : { why: cosigned.missing }),
  }
}

const elsewhere = 'Another process is sealing.'

interface Pages {
  epoch: number
  /** The last sealed entry of each account. */
  accounts: Map<string, number>
  /** Why accounts were not sealed. */
  refused: Map<string, string>
}

/** Seals page after page of accounts, an epoch each. */
async function sealPages(
  deps: SealerDeps,
  begun: SealWork,
  keys: LogKeys,
): Promise<Pages | 'elsewhere' | { problem: string }> {
  const accounts = new Map<string, number>()
  const refused = new Map<string, string>()
  const place = logPlace(deps.config, begun.log)
  let [work, last, after] = [begun, begun.epoch, '']
  const next = () => readSealWork(deps.db, after, limits.sealAccountsPerEpoch)
  try {
    // Its seals have just been signed.
    if (begun.epoch?.note === null) work = await next()
    while (work.accounts.length > 0) {
      if (work.epoch?.size !== last?.size) return 'elsewhere'
      const page = await prepare(deps, work, keys, after)
      for (const { account, problem } of page.refusals) refused.set(account, problem)
      if (page.seals.length > 0) {
        const made = await sealEpoch(deps, last, page.seals, { keys, ...place })
        if (!made) return 'elsewhere'
        last = made
        for (const { account, frontier } of page.seals) accounts.set(account, frontier.size)
      }
      after = page.after
      work = await next()
    }
  } catch (error) {
    if (error instanceof MissingLeaves)
      return { problem: `hashes of the tree of epochs are lost: ${error.message}` }
    throw error
  }
  return { epoch: last?.size ?? 0, accounts, refused }
}

/** The keys that may sign; or why there are none. The first process that needs a key makes it. */
function keysFor({ now = newDate }: SealerDeps, { signed }: SealWork, place: LogPlace): LogKeys | string {
  const known = readLogKeys(place)
  if (!known && place.isOfOther)
    return 'DATA_DIR has the log of another database. `gate ledger keys replace` begins one for this database.'
  if (!known && signed === null) return makeLogKey(place, 0, now())
  if (known && !known.isInFile && place.isRecordOfOther)
    return `${dirname(place.stateFolder)} has the record of another log. Where the database was replaced on purpose, set another LEDGER_KEY, and put that record aside.`
  if (!known) return 'This process has no key of the log. Another process signs, or its key is lost.'
  const isForeign =
    signed !== null && signed.size > known.lostTo && isOurs(signed.note, known, signed) === 'foreign'
  return isForeign ? 'The ledgers are sealed with another key than the one of this process.' : known
}

const newDate = () => new Date()

/** Why nothing may be signed now; null: nothing stands against it. */
async function obstacle(deps: SealerDeps, work: SealWork, keys: LogKeys): Promise<string | null> {
  const { stateFolder } = logPlace(deps.config, work.log)
  const held = readHeldEpoch(stateFolder)
  const { epoch, faults } = work
  const isOurEpoch = epoch !== null && epoch.note !== null && epoch.size > keys.lostTo
  if (!held && keys.isInFile && isOurEpoch)
    return `the record of the last signed epoch is missing in ${stateFolder}`
  const rollback = await rollbackProblem(deps.db, epoch, held)
  if (rollback !== null) return rollback
  if (isOurEpoch && isOurs(epoch.note!, keys, epoch) === 'wrong')
    return `the signature of epoch ${epoch.size} was changed`
  // Another process knows more than this one, until it says otherwise. A witness is asked by this one, too.
  const other = faults.find(({ account }) => account === '')
  if (!other || (deps.cosigners && isOfWitness(other))) return null
  return other.held > (held?.size ?? 0) ? other.problem : null
}

async function refuse(
  deps: SealerDeps,
  { log, epoch, faults }: SealWork,
  { problem, size = 0 }: { problem: string; size?: number },
): Promise<SealReport> {
  const held = readHeldEpoch(logPlace(deps.config, log).stateFolder)?.size ?? 0
  const known = faults.find(({ account }) => account === '')
  const due = { account: '', problem, held: Math.max(held, size, known?.held ?? 0) }
  await tellFaults(deps, faults, [due, ...faults.filter(({ account }) => account !== '')])
  return { state: 'attention', epoch: epoch?.size ?? 0, accounts: [], faults: [{ account: '', problem }] }
}

/** Publishes an epoch that a process stored and did not sign. `elsewhere`: this process may not sign it now. */
async function finish(
  deps: SealerDeps,
  { stateFolder }: LogPlace,
  { size, root, note }: StoredSeal,
  keys: LogKeys,
): Promise<true | 'elsewhere' | { problem: string }> {
  const seals = note === null ? await unsignedSeals(deps.db, size, { keys, archive: deps.archive }) : []
  if ('problem' in seals) return seals
  if (!holdEpoch(stateFolder, { size, root })) return 'elsewhere'
  if (note === null) await publish(deps, { size, root, seals }, keys)
  return true
}

/** The seals of a page of accounts. `after`: where the next page begins; an account with more entries comes again. */
async function prepare(deps: SealerDeps, work: SealWork, keys: LogKeys, begin: string) {
  const seals: NextSeal[] = []
  const refusals: { account: string; problem: string }[] = []
  let [after, entries] = [begin, 0]
  for (const unsealed of work.accounts) {
    const room = limits.sealEntriesPerEpoch - entries
    // Less than a tile would be sealed of it: the next epoch has room.
    if (room < tileWidth) break
    const made = await nextSeal(deps.db, unsealed, { keys, entriesMax: room, archive: deps.archive })
    if ('problem' in made) {
      refusals.push(made)
      after = unsealed.account
      continue
    }
    seals.push(made)
    entries += made.frontier.size - made.was
    if (made.frontier.size < unsealed.seq) break
    after = unsealed.account
  }
  return { seals, refusals, after }
}

/** Stores, records and publishes one epoch. @returns undefined where another process was first */
async function sealEpoch(
  deps: SealerDeps,
  last: StoredSeal | null,
  seals: NextSeal[],
  { keys, stateFolder }: LogPlace & { keys: LogKeys },
): Promise<StoredSeal | undefined> {
  const next = await nextEpoch(deps.db, last, seals)
  if (!(await storeEpoch(deps.db, next))) return undefined
  await deps.after?.('stored')
  const { size, root, frontier } = next
  if (!holdEpoch(stateFolder, { size, root })) return undefined
  await deps.after?.('held')
  const due = seals.map((seal) => ({ account: seal.account, size: seal.frontier.size, root: seal.root }))
  await publish(deps, { size, root, seals: due }, keys)
  await deps.after?.('published')
  return { size, root, frontier, note: null }
}

/** Stores what is refused, where that is not what is stored. */
async function tellFaults({ db, log }: SealerDeps, known: SealFault[], due: SealFault[]): Promise<void> {
  const text = (faults: SealFault[]) =>
    JSON.stringify(faults.map(({ account, problem }) => [account, problem]).toSorted())
  if (text(known) === text(due)) return
  for (const { account, problem } of due) log.error({ account, problem }, 'ledger not sealed')
  await setSealFaults(db, due)
}
