import { once } from 'node:events'
import { statSync } from 'node:fs'
import { z } from 'zod'
import { connect } from '../../db/connect.ts'
import { anchorText } from '../../ledger/anchor.ts'
import type { Verdict } from '../../ledger/verify.ts'
import { manifestName, textOf } from '../../ledger/archive/archive-manifest.ts'
import { verifyArchive } from '../../ledger/archive/verify-archive.ts'
import { verifyExport } from '../../ledger/verify-file.ts'
import { wholeNumber } from '../../operations/whole-number.ts'
import { ledgerProof, verdictOf } from '../../operations/audit/ledger-proof.ts'
import type { Archived } from '../../operations/maintenance/archive-ledger.ts'
import { account } from '../account-option.ts'
import type { CliContext } from '../context.ts'
import { keysVerb, sealVerb } from './ledger-seals.ts'
import { isOfFile, reasonOf } from '../read-file-option.ts'
import { UsageError, defineVerb, flag, optional, repeatable, required } from '../verb.ts'

/** How old an entry must be to be archived: everything that may be repeated by its event is long over. */
const archiveAfterDaysDefault = 365
const archiveAfterDaysMin = 30
const archiveAfterDaysMax = 36_500

const path = z.string().min(1, 'must name a file or folder')
const archive = optional('FOLDER', path, 'The folder with the archived entries', '/backup/ledgers')

export const ledgerVerbs = {
  verify: defineVerb({
    summary:
      'Verify the ledger of an account against its actions, members, keys and policies, or verify an export or an archive',
    options: {
      account,
      file: optional(
        'FILE',
        path,
        "An export, or an account's folder of an archive, to verify instead of the database",
        'ledger.jsonl',
      ),
      archive,
      unsealed: flag('For sealed exports: accept entries after the last seal, which anyone can have added'),
      anchor: repeatable('SEQ:HASH', anchorText, 'A head you kept elsewhere', `120:${'ab12'.repeat(16)}`),
    },
    exactlyOne: [['account', 'file']],
    async run(context, { account: of, file, archive: folder, anchor, unsealed }): Promise<Verdict> {
      if (file === undefined)
        return verdictOf({ db: context.db(), config: context.config() }, of, {
          anchors: anchor,
          archive: folder,
        })
      const isArchive = statSync(file, { throwIfNoEntry: false })?.isDirectory() === true
      if (isArchive && textOf(file) === undefined)
        throw new UsageError(`--file ${file} is a folder, and no archive: it has no ${manifestName}`)
      if (isArchive) return verifyArchive(file, anchor)
      const verdict = await verifyExport(file, { anchors: anchor, unsealed }).catch((error: unknown) => {
        throw isOfFile(error) ? new UsageError(`--file ${file} cannot be read: ${reasonOf(error)}`) : error
      })
      if (verdict.ok || !verdict.unreadable) return verdict
      throw new UsageError(`--file ${file} cannot be verified: ${verdict.problem}`)
    },
    text: ({ account: of, seq, hash, sealed }: Verdict) =>
      `${of}: ledger verified, ${seq} entries, head hash ${hash}.${sealed === false ? ' No seal of the file has the last ones.' : ''}`,
    refusal: (verdict: Verdict) => (verdict.ok ? null : `${verdict.place}: ${verdict.problem}`),
  }),

  export: defineVerb({
    summary:
      'Export a ledger as JSON lines, for independent verification (--json: as one array; --sealed: with its last seal, for `gate verify`)',
    options: { account, archive, sealed: flag('Add the last seal, which an outside verifier can check') },
    async run(context, given) {
      const deps = { db: context.db() }
      if (given.sealed && context.isJson) throw new UsageError('--sealed writes JSON lines: leave out --json')
      const texts = given.sealed
        ? (await import('../../operations/seals/sealed-export.ts')).sealedProof(
            deps,
            given.account,
            given.archive,
          )
        : exportText(await ledgerProof(deps, given.account, given.archive), context.isJson)
      for await (const text of texts) if (!context.stdout.write(text)) await once(context.stdout, 'drain')
    },
  }),

  seal: sealVerb,

  keys: keysVerb,

  archive: defineVerb({
    summary: 'Move old entries of a ledger out of the database into files, which verify and export read',
    options: {
      account,
      to: required('FOLDER', path, 'The folder of the archive, the same for every run', '/backup/ledgers'),
      'older-than-days': optional(
        'DAYS',
        wholeNumber(archiveAfterDaysMin, archiveAfterDaysMax),
        `Entries of the last DAYS days stay; if absent: ${archiveAfterDaysDefault}`,
        '90',
      ),
    },
    async run(context, given): Promise<Archived> {
      const days = given['older-than-days'] ?? archiveAfterDaysDefault
      const before = new Date(Date.now() - days * 86_400_000)
      const { archiveLedger } = await import('../../operations/maintenance/archive-ledger.ts')
      return asOwner(context, (owner) =>
        archiveLedger(given.account, { db: context.db(), owner, folder: given.to, before }),
      )
    },
    text: ({ account: of, entries, files, archived_to: seq, folder }: Archived) =>
      entries === 0
        ? `${of}: nothing to archive. Archived so far: ${seq} entries.`
        : `${of}: moved ${entries} entries into ${files} ${files === 1 ? 'file' : 'files'} of ${folder}. Archived so far: ${seq} entries.`,
  }),
}

async function* exportText(lines: AsyncIterable<object>, isJson: boolean): AsyncGenerator<string> {
  let before = isJson ? '[' : ''
  for await (const line of lines) {
    yield before + JSON.stringify(line)
    before = isJson ? ',\n' : '\n'
  }
  yield isJson ? ']\n' : '\n'
}

/** Only the owner of the database may delete archived entries. */
async function asOwner<T>(
  context: CliContext,
  work: (owner: ReturnType<typeof connect>) => Promise<T>,
): Promise<T> {
  const { ownerUrl } = context.databaseUrls()
  const owner = connect(ownerUrl, { applicationName: 'gate ledger archive', connectionsMax: 1 })
  try {
    return await work(owner)
  } finally {
    await owner.close()
  }
}
