import {
  namesNoLists,
  onlyListsWithAr,
  onlyListsWithJar,
  onlyListsWithTar,
  onlyListsWithUnzip,
} from '../command/allowed-arguments.ts'
import type { ReadCommand } from '../command/options.ts'

const decompressed: ReadCommand = {
  flags: 'cdfkqv',
  allows: ({ options }) => options.some(({ name }) => name === 'c'),
}
const objects: ReadCommand = { long: 'demangle', flags: 'aCDghnSsrluwWVIdptTxfjR', allows: namesNoLists }

const counter: ReadCommand = { listsOnly: true, flags: 'f', long: 'files by-file no-cocomo' }

/** Commands that read archives and programs, with every option that leaves them so. */
export const archiveCommands: Record<string, ReadCommand> = {
  cloc: counter,
  tokei: counter,
  scc: counter,
  zcat: { flags: 'fq' },
  gzcat: { flags: 'fq' },
  bzcat: {},
  xzcat: {},
  gunzip: decompressed,
  gzip: decompressed,
  nm: objects,
  readelf: objects,
  // With `-S` it prints the sources that a program names, which may be any files.
  objdump: { ...objects, flags: objects.flags!.replace('S', '') },
  otool: { flags: 'aDfhLlvV' },
  zipinfo: { flags: '12smlvhtTz', listsOnly: true },
  unzip: { flags: 'lvZ1qp', listsOnly: true, allows: onlyListsWithUnzip },
  ar: { flags: 'tvO', listsOnly: true, allows: onlyListsWithAr },
  jar: { flags: 'tv', valued: 'f', long: 'list verbose file=', listsOnly: true, allows: onlyListsWithJar },
  // `-cp PATH` and `-public` are read as letters: none of its options but `-J` does more than to read.
  javap: { flags: 'acbehilnoprstuvy', long: 'class-path=', allows: namesNoLists },
  tar: {
    flags: 'tzvjJ',
    valued: 'f',
    listsOnly: true,
    startsOthers: true,
    allows: onlyListsWithTar,
  },
}
