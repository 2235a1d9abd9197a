import { archiveCommands } from './archive-commands.ts'
import {
  formatsPlainly,
  isPlainSet,
  isPlainTest,
  namesNoLists,
  printsPlainly,
  replacesPlainly,
} from '../command/allowed-arguments.ts'
import { machineCommands } from './machine-commands.ts'
import type { ReadCommand } from '../command/options.ts'
import { isPlainVariable } from '../command/variables.ts'
import { searchCommands } from './search-commands.ts'
import { onlyPrintsWithAwk, onlyPrintsWithJq, onlyPrintsWithSed } from '../command/scripts.ts'

const texts: ReadCommand = { operands: 'texts' }
const anyTexts: ReadCommand = { operands: 'texts', isRaw: true, tellsNames: true }
const digest: ReadCommand = {
  isHarmless: 'plain',
  flags: 'btz',
  valued: 'a',
  long: 'binary text tag zero quiet algorithm=',
  listsOnly: true,
}
const jqEnv = /\b(env|load\w*|eval|strenv|envsubst|system)\b(?! *:)/
const viewer: ReadCommand = {
  flags: 'pnAS',
  valued: 'lr',
  long: 'plain number show-all language= line-range= style= paging= color= decorations=',
  // A pager would be a program of the environment.
  allows: ({ options }) => options.every(({ name, value }) => name !== 'paging' || value === 'never'),
}
/** Prints as `cat` where it has no terminal. It may start programs that read other forms of files, or what stands behind `+`. */
const pager: ReadCommand = {
  flags: 'NRSFXinEe',
  startsOthers: true,
  allows: ({ operands }) =>
    operands.length > 0 &&
    operands.every((path) =>
      /^[^+].*\.(md|rst|log|[cm]?[jt]sx?|py|rb|go|rs|java|kt|c|h|cc|cpp|php|sql|css)$/.test(path),
    ),
}
/**
 * Commands that only read, with every option that leaves them so. Left out on purpose: options that write, run another program,
 * or read a list of files.
 */
export const readCommands: Record<string, ReadCommand> = {
  ...machineCommands,
  ...archiveCommands,
  ...searchCommands,
  ':': anyTexts,
  true: anyTexts,
  false: anyTexts,
  echo: anyTexts,
  // `command ls -v` runs `ls -v`.
  command: { ...texts, flags: 'vV', allows: ({ options }) => options.length > 0 },
  // Some shells evaluate what `%d` prints.
  printf: { ...texts, tellsNames: true, allows: printsPlainly },
  test: {
    ...texts,
    flags: 'fdesrwxLhzn',
    pathsWith: 'fdesrwxLh',
    listsOnly: true,
    tellsNames: true,
    allows: isPlainTest,
  },
  exit: { ...texts, operandsMax: 1, allows: ({ operands }) => operands.every((n) => /^\d{1,3}$/.test(n)) },
  sleep: { ...texts, allows: ({ operands }) => operands.every((n) => /^[\d.]{1,6}[smh]?$/.test(n)) },
  set: { ...texts, flags: 'eufx', valued: 'o', allows: isPlainSet },
  read: {
    ...texts,
    flags: 'r',
    valued: 'd',
    allows: ({ options, operands }) =>
      operands.every(isPlainVariable) && options.every(({ name, value }) => name === 'r' || value === ''),
  },
  free: { flags: 'bkmght', operandsMax: 0 },
  expr: {
    ...texts,
    allows: ({ operands }) => operands.every((text) => /^(\d+|[()*/%+<>=!|&-]+)$/.test(text)),
  },
  date: {
    ...texts,
    flags: 'uR',
    valued: 'd',
    long: 'utc universal date= iso-8601? rfc-email rfc-3339=',
    // An option after the format would be a time to set, and no valid one.
    allows: ({ operands, endsAtOperand }) =>
      endsAtOperand || operands.every((format) => format.startsWith('+')),
  },
  seq: { ...texts, flags: 'w', valued: 'fs' },
  basename: { ...texts, tellsNames: true, flags: 'az', valued: 's' },
  dirname: { ...texts, tellsNames: true, flags: 'z' },
  which: { ...texts, flags: 'as' },
  type: { ...texts, flags: 'atpPf' },
  tr: { ...texts, flags: 'cCdst', allows: replacesPlainly },
  ls: {
    tellsNames: true,
    flags: 'aAbBcCdfFgGhHiklLmnNopqQrRsStTuUvxXZ1@',
    valued: 'I',
    long:
      'all almost-all author directory human-readable inode recursive reverse size sort= time= time-style= color? classify? ' +
      'full-time group-directories-first ignore= hide= indicator-style= si numeric-uid-gid no-group dereference',
    listsOnly: true,
    isHarmless: true,
  },
  tree: {
    tellsNames: true,
    flags: 'adfilpsughDFrtvxCnANSJXq',
    apart: 'LIP',
    long: 'dirsfirst noreport gitignore prune filelimit= matchdirs ignore-case du si inodes sort=',
    listsOnly: true,
  },
  stat: {
    tellsNames: true,
    flags: 'LtxFsn',
    valued: 'cf',
    long: 'dereference format= printf= terse',
    listsOnly: true,
    allows: formatsPlainly,
  },
  file: { flags: 'bihkLN', long: 'brief mime mime-type mime-encoding dereference no-pad', listsOnly: true },
  du: {
    tellsNames: true,
    flags: 'abchHklLmPsSx',
    valued: 'dt',
    long: 'all apparent-size total human-readable summarize max-depth= si threshold= exclude= one-file-system',
    listsOnly: true,
  },
  df: {
    flags: 'ahHiklmPT',
    valued: 'tx',
    long: 'all human-readable inodes local print-type total output?',
    listsOnly: true,
  },
  realpath: {
    flags: 'emLPqsz',
    long: 'canonicalize-existing canonicalize-missing relative-to= relative-base=',
    listsOnly: true,
  },
  readlink: {
    flags: 'femnqsvz',
    long: 'canonicalize canonicalize-existing canonicalize-missing',
    listsOnly: true,
  },
  wc: {
    isHarmless: 'plain',
    flags: 'cmlLw',
    long: 'bytes chars lines words max-line-length total=',
    listsOnly: true,
  },
  cat: {
    isHarmless: 'plain',
    flags: 'AbeEnstTuv',
    long: 'show-all number number-nonblank squeeze-blank show-ends show-tabs show-nonprinting',
  },
  bat: viewer,
  less: pager,
  more: pager,
  batcat: viewer,
  tac: { flags: 'br', valued: 's' },
  rev: {},
  nl: { flags: 'p', valued: 'bdfhilnsvw', long: 'body-numbering= number-width= starting-line-number=' },
  head: {
    isHarmless: 'plain',
    flags: 'qvz',
    valued: 'nc',
    digits: true,
    long: 'lines= bytes= quiet silent verbose',
  },
  tail: {
    isHarmless: 'plain',
    flags: 'qvzrfF',
    valued: 'ncs',
    digits: true,
    long: 'lines= bytes= quiet silent verbose follow? retry pid=',
  },
  cut: {
    flags: 'nsz',
    valued: 'bcdf',
    long: 'bytes= characters= delimiter= fields= only-delimited complement output-delimiter=',
  },
  paste: { flags: 'sz', valued: 'd', long: 'serial delimiters=' },
  column: { flags: 'txen', valued: 'cso', long: 'table separator= output-separator=' },
  expand: { flags: 'i', valued: 't', long: 'initial tabs=' },
  fold: { flags: 'bs', valued: 'w', long: 'width= spaces bytes' },
  join: { flags: 'i', valued: '12aejotv' },
  comm: { flags: '123i', long: 'check-order nocheck-order output-delimiter= total' },
  cmp: { flags: 'bls', valued: 'in', long: 'print-bytes verbose quiet silent bytes= ignore-initial=' },
  diff: {
    flags: 'abBcdeipqstTuwyZE',
    valued: 'CUWLxI',
    digits: true,
    long:
      'brief unified? context? side-by-side ignore-all-space ignore-space-change ignore-blank-lines ' +
      'ignore-case report-identical-files color? width= label= exclude= text minimal suppress-common-lines strip-trailing-cr',
    // With two folders it shows all their files, credentials included; with a folder and a file, that file there. A folder may
    // have an ending. More than two operands are an error.
    readsFolders: true,
    allows: ({ operands, endsAtOperand }) =>
      (endsAtOperand && operands.length > 2) ||
      operands.every((path) => /^-$|^(.*\/)?[^./][^/]*\.[A-Za-z0-9]+$/.test(path)),
  },
  sort: {
    flags: 'bcCdfghiMmnrRsuVz',
    valued: 'kt',
    long:
      'ignore-leading-blanks dictionary-order ignore-case general-numeric-sort human-numeric-sort month-sort numeric-sort ' +
      'reverse version-sort key= field-separator= unique stable zero-terminated check? merge sort= parallel=',
  },
  // The second operand is written to.
  uniq: {
    flags: 'cdDiuz',
    valued: 'fsw',
    long: 'count repeated unique ignore-case skip-fields= skip-chars=',
    operandsMax: 1,
  },
  // Likewise; it reads `-ps` as one option, so none with a value is listed.
  xxd: { flags: 'abepu', operandsMax: 1 },
  od: {
    flags: 'abcdfilosxv',
    valued: 'AjNt',
    glued: 'w',
    long: 'address-radix= format= read-bytes= skip-bytes=',
  },
  hexdump: { flags: 'bcCdovx', valued: 'ns' },
  strings: { flags: 'a', valued: 'ntel', allows: namesNoLists },
  mdls: { listsOnly: true },
  md5sum: digest,
  sha1sum: digest,
  sha256sum: digest,
  sha512sum: digest,
  shasum: digest,
  cksum: digest,
  md5: { flags: 'qr', listsOnly: true },
  sed: {
    flags: 'nErsuz',
    valued: 'e',
    long: 'quiet silent regexp-extended separate unbuffered null-data expression= sandbox posix',
    textUnless: ['e', 'expression'],
    searchWords: ['e', 'expression'],
    takesScript: true,
    allows: onlyPrintsWithSed,
  },
  awk: { valued: 'Fv', textUnless: [], searchWords: [], takesScript: true, allows: onlyPrintsWithAwk },
  // Where a file is called as the expression, it reads that: so this is looked at as a path, too.
  yq: {
    flags: 'rjCPN',
    valued: 'o',
    allows: ({ operands }) =>
      operands.length === 2 && /^[\w.[\]" |]+$/.test(operands[0]!) && !jqEnv.test(operands[0]!),
  },
  jq: {
    flags: 'acCeMnrsSj',
    valued: '',
    long: 'compact-output raw-output raw-input slurp sort-keys tab null-input exit-status color-output monochrome-output',
    textUnless: [],
    searchWords: [],
    takesScript: true,
    allows: onlyPrintsWithJq,
  },
}
