import {
  type SealFault,
  type SealWork,
  type StoredSeal,
  readSealWork,
  setSealFaults,
  storeEpoch,
} from '../db/queries/ledger/sealing.ts'
import { type NextSeal, nextSeal } from './account-seal.ts'
import { askWhetherFirst, cosign, isOfWitness } from './cosigning/cosign.ts'
import { holdEpoch, readHeldEpoch } from './held-epoch.ts'
import type { LogKeys } from './log-keys.ts'
import { type LogPlace, logPlace } from './log-place.ts'
import { type Obstacle, keysFor, mayBeFirst, obstacle } from './may-sign.ts'
import { nextEpoch } from './next-epoch.ts'
import { publish } from './publish.ts'
import type { SealerDeps } from './sealer-deps.ts'
import { MissingLeaves, tileWidth } from './tiled-tree.ts'
import { unsignedSeals } from './unsigned-seals.ts'

const sealAccountsPerEpoch = 500

const sealEntriesPerEpoch = 65_536

export interface SealReport {
  /**
   * `off`: this process has no key that may sign, or witnesses must be heard first. `elsewhere`: another process was first, so
   * there may be more to seal: see `accounts` for what this one sealed before.
   */
  state: 'sealed' | 'off' | 'attention' | 'elsewhere'
  /** The last published epoch, 0 if there is none. */
  epoch: number
  /** The accounts that were sealed now, with the last sealed entry. */
  accounts: { account: string; seq: number }[]
  /** What the sealer refuses, and for which account; `account` is empty for a fault of the whole log. */
  faults: { account: string; problem: string }[]
  /** Why nothing is sealed, or which witnesses did not cosign. */
  why?: string
  /** Witnesses that cosigned the last epoch now. */
  cosigned?: string[]
}

/**
 * Seals what is not sealed yet, epoch by epoch, until nothing is left. Any number of processes may do so at once.
 *
 * The order of steps makes a kill between any two harmless. An epoch is first stored without signatures, by one guarded statement:
 * of two processes one stores it, and it follows the last one. Then it is recorded outside of the database. Only then is it
 * signed and published; the next process checks and signs what is stored and not signed, which gives the same checkpoint.
 */
export async function sealLedgers(deps: SealerDeps): Promise<SealReport> {
  const work = await readPage(deps, '')
  const report: SealReport = { state: 'sealed', epoch: work.epoch?.size ?? 0, accounts: [], faults: [] }
  const place = logPlace(deps.config, work.log)
  const keys = keysFor(deps, work, place)
  if (typeof keys === 'string') return { ...report, state: 'off', why: keys }
  const problem = await obstacle(deps, work, keys)
  if (problem !== null) return refuse(deps, work, problem)
  // Before anything is signed: what a witness holds may be all that is left of a lost history.
  const asked = mayBeFirst(work, place) ? await askWhetherFirst(deps, keys) : await cosign(deps)
  const standing = work.faults.find((fault) => asked.silent.some((name) => isOfWitness(fault, name)))
  if (asked.conflict ?? standing) return refuse(deps, work, (asked.conflict ?? standing)!)
  if (asked.isOvertaken) return { ...report, state: 'elsewhere' }
  if (asked.unheard !== null) return { ...report, state: 'off', why: asked.unheard }
  const finished = work.epoch === null || (await finish(deps, place, { ...work, epoch: work.epoch }, keys))
  if (finished === 'elsewhere') return { ...report, state: 'elsewhere' }
  if (finished !== true && 'problem' in finished) return refuse(deps, work, finished)
  const sealed = await sealPages(deps, work, keys)
  if ('problem' in sealed) return refuse(deps, work, sealed)
  const accounts = [...sealed.accounts].map(([account, seq]) => ({ account, seq }))
  if (sealed.isOvertaken) return { ...report, state: 'elsewhere', epoch: sealed.epoch, accounts }
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
    accounts,
    faults,
    ...(cosigned.missing === null ? {} : { why: cosigned.missing }),
    ...cosignedBy([...(sealed.accounts.size === 0 ? asked.fresh : []), ...cosigned.fresh]),
  }
}

const cosignedBy = (names: string[]): Pick<SealReport, 'cosigned'> =>
  names.length === 0 ? {} : { cosigned: names }

const readPage = ({ db, onlyNew = false }: SealerDeps, after: string): Promise<SealWork> =>
  readSealWork(db, { after, accountsMax: sealAccountsPerEpoch, isAll: !onlyNew })

interface Pages {
  epoch: number
  /** The last sealed entry of each account. */
  accounts: Map<string, number>
  /** Why accounts were not sealed. */
  refused: Map<string, string>
  /** Whether another process was first, so that the rest was left to it. */
  isOvertaken: boolean
}

/** Seals page after page of accounts, an epoch each. */
async function sealPages(
  deps: SealerDeps,
  begun: SealWork,
  keys: LogKeys,
): Promise<Pages | { problem: string }> {
  const accounts = new Map<string, number>()
  const refused = new Map<string, string>()
  const place = logPlace(deps.config, begun.log)
  let [work, last, after] = [begun, begun.epoch, '']
  const next = () => readPage(deps, after)
  const pages = (isOvertaken: boolean): Pages => ({ epoch: last?.size ?? 0, accounts, refused, isOvertaken })
  try {
    // Its seals have just been signed.
    if (begun.epoch?.note === null) work = await next()
    while (work.accounts.length > 0) {
      if (work.epoch?.size !== last?.size) return pages(true)
      // The last epoch as it was checked or made, not as it was read again.
      const page = await prepare(deps, { ...work, epoch: last }, keys, after)
      for (const { account, problem } of page.refusals) refused.set(account, problem)
      if (page.seals.length > 0) {
        const made = await sealEpoch(deps, last, page.seals, { keys, ...place })
        if (!made) return pages(true)
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
  return pages(false)
}

async function refuse(
  deps: SealerDeps,
  { log, epoch, faults }: SealWork,
  { problem, size = 0, folder }: Obstacle & { size?: number },
): Promise<SealReport> {
  const held = readHeldEpoch(logPlace(deps.config, log).stateFolder)?.size ?? 0
  const known = faults.find(({ account }) => account === '')
  const due = { account: '', problem, held: Math.max(held, size, known?.held ?? 0) }
  await tellFaults(deps, faults, [due, ...faults.filter(({ account }) => account !== '')], folder)
  const told = folder === undefined ? problem : `${problem} in ${folder}`
  return {
    state: 'attention',
    epoch: epoch?.size ?? 0,
    accounts: [],
    faults: [{ account: '', problem: told }],
  }
}

/** Publishes an epoch that a process stored and did not sign. `elsewhere`: this process may not sign it now. */
async function finish(
  deps: SealerDeps,
  { stateFolder }: LogPlace,
  { epoch, signed }: { epoch: StoredSeal; signed: SealWork['signed'] },
  keys: LogKeys,
): Promise<true | 'elsewhere' | { problem: string }> {
  const { size, root, note } = epoch
  const given = { keys, archive: deps.archive }
  const seals = note === null ? await unsignedSeals(deps.db, { epoch, signed }, given) : []
  if (seals === 'elsewhere' || 'problem' in seals) return seals
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
    const room = sealEntriesPerEpoch - entries
    // Less than a tile would be sealed of it: the next epoch has room.
    if (room < tileWidth) break
    const made = await nextSeal(deps.db, unsealed, {
      keys,
      epoch: work.epoch,
      entriesMax: room,
      archive: deps.archive,
    })
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

/** Stores what is refused, where that is not what is stored. Tenants read it, so where it is on this machine is only logged. */
async function tellFaults(
  { db, log }: SealerDeps,
  known: SealFault[],
  due: SealFault[],
  folder?: string,
): Promise<void> {
  const text = (faults: SealFault[]) =>
    JSON.stringify(faults.map(({ account, problem }) => [account, problem]).toSorted())
  if (text(known) === text(due)) return
  for (const { account, problem } of due) log.error({ account, problem, folder }, 'ledger not sealed')
  await setSealFaults(db, due)
}
