import {
  formatsPlainly,
  isPlainPs,
  isPlainSet,
  isPlainTest,
  isRecursive,
  namesNoLists,
  printsPlainly,
  readsNoHiddenFiles,
  replacesPlainly,
  selectsNoHiddenFiles,
} from './allowed-arguments.ts'
import type { ReadCommand } from './options.ts'
import { onlyPrintsWithAwk, onlyPrintsWithJq, onlyPrintsWithSed } from './scripts.ts'

const texts: ReadCommand = { operands: 'texts' }
const anyTexts: ReadCommand = { operands: 'texts', isRaw: true }
const digest: ReadCommand = {
  flags: 'btz',
  valued: 'a',
  long: 'binary text tag zero quiet algorithm=',
  listsOnly: true,
}
const grep: ReadCommand = {
  flags: 'acEFGHhiIlLnoPqRrsvwxyzZ',
  valued: 'ABCDdefm',
  digits: true,
  long:
    'text count extended-regexp fixed-strings basic-regexp perl-regexp with-filename no-filename ignore-case no-ignore-case ' +
    'files-with-matches files-without-match line-number only-matching quiet silent recursive dereference-recursive no-messages ' +
    'invert-match word-regexp line-regexp null null-data line-buffered initial-tab byte-offset color? colour? regexp= file= ' +
    'max-count= after-context= before-context= context= include= exclude= exclude-dir= binary-files= directories= label=',
  textUnless: ['e', 'f', 'regexp', 'file'],
  searches: isRecursive,
  allows: readsNoHiddenFiles,
}

/**
 * Commands that only read, with every option that leaves them so. Left out on purpose: options that write, run another program,
 * or read a list of files.
 */
export const readCommands: Record<string, ReadCommand> = {
  ':': anyTexts,
  true: anyTexts,
  false: anyTexts,
  echo: anyTexts,
  // `command ls -v` runs `ls -v`.
  command: { ...texts, flags: 'vV', allows: ({ options }) => options.length > 0 },
  // Some shells evaluate what `%d` prints.
  printf: { ...texts, allows: printsPlainly },
  test: { ...texts, flags: 'fdesrwxLhzn', pathsWith: 'fdesrwxLh', listsOnly: true, allows: isPlainTest },
  exit: { ...texts, operandsMax: 1, allows: ({ operands }) => operands.every((n) => /^\d{1,3}$/.test(n)) },
  sleep: { ...texts, allows: ({ operands }) => operands.every((n) => /^[\d.]{1,6}[smh]?$/.test(n)) },
  set: { ...texts, flags: 'eufx', valued: 'o', allows: isPlainSet },
  pwd: { flags: 'LP', operandsMax: 0 },
  whoami: { operandsMax: 0 },
  id: { ...texts, flags: 'unGgr' },
  groups: texts,
  hostname: { flags: 's', operandsMax: 0 },
  uname: { flags: 'asnrvmpio', long: 'all kernel-name machine', operandsMax: 0 },
  arch: { operandsMax: 0 },
  nproc: { long: 'all', operandsMax: 0 },
  uptime: { flags: 'ps', operandsMax: 0 },
  free: { flags: 'bkmght', operandsMax: 0 },
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
  basename: { ...texts, flags: 'az', valued: 's' },
  dirname: { ...texts, flags: 'z' },
  which: { ...texts, flags: 'as' },
  type: { ...texts, flags: 'atpPf' },
  tr: { ...texts, flags: 'cCdst', allows: replacesPlainly },
  ps: { ...texts, flags: 'efAFlw', valued: 'pou', allows: isPlainPs },
  ls: {
    flags: 'aAbBcCdfFgGhHiklLmnNopqQrRsStTuUvxXZ1@',
    valued: 'I',
    long:
      'all almost-all author directory human-readable inode recursive reverse size sort= time= time-style= color? classify? ' +
      'full-time group-directories-first ignore= hide= indicator-style= si numeric-uid-gid no-group dereference',
    listsOnly: true,
    isHarmless: true,
  },
  tree: {
    flags: 'adfilpsughDFrtvxCnANSJXq',
    apart: 'LIP',
    long: 'dirsfirst noreport gitignore prune filelimit= matchdirs ignore-case du si inodes sort=',
    listsOnly: true,
  },
  stat: {
    flags: 'LtxFsn',
    valued: 'cf',
    long: 'dereference format= printf= terse',
    listsOnly: true,
    allows: formatsPlainly,
  },
  file: { flags: 'bihkLN', long: 'brief mime mime-type mime-encoding dereference no-pad', listsOnly: true },
  du: {
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
  wc: { flags: 'cmlLw', long: 'bytes chars lines words max-line-length total=', listsOnly: true },
  cat: {
    flags: 'AbeEnstTuv',
    long: 'show-all number number-nonblank squeeze-blank show-ends show-tabs show-nonprinting',
  },
  tac: { flags: 'br', valued: 's' },
  rev: {},
  nl: { flags: 'p', valued: 'bdfhilnsvw', long: 'body-numbering= number-width= starting-line-number=' },
  head: { flags: 'qvz', valued: 'nc', digits: true, long: 'lines= bytes= quiet silent verbose' },
  tail: {
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
    // Of two folders it shows all files, also those with credentials; of a folder and a file, that file there. A folder may
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
  md5sum: digest,
  sha1sum: digest,
  sha256sum: digest,
  sha512sum: digest,
  shasum: digest,
  cksum: digest,
  md5: { flags: 'qr', listsOnly: true },
  grep,
  egrep: grep,
  fgrep: grep,
  // Hidden files are left out unless an option, not listed here, says otherwise.
  rg: {
    flags: 'acFHiIlLnNoPpqsSUvVwx0',
    valued: 'ABCefgmtTrjM',
    long:
      'text count count-matches fixed-strings with-filename no-filename ignore-case files-with-matches files-without-match ' +
      'line-number no-line-number only-matching pcre2 pretty quiet case-sensitive smart-case multiline multiline-dotall ' +
      'invert-match word-regexp line-regexp null files heading no-heading column color= colors= regexp= file= glob= iglob= ' +
      'max-count= type= type-not= replace= after-context= before-context= context= max-columns= max-depth= sort= sortr= ' +
      'trim stats json vimgrep type-list no-config no-messages passthru max-filesize= threads= line-buffered',
    searches: () => true,
    textUnless: ['e', 'f', 'regexp', 'file', 'files', 'type-list'],
    allows: selectsNoHiddenFiles,
  },
  sed: {
    flags: 'nErsuz',
    valued: 'e',
    long: 'quiet silent regexp-extended separate unbuffered null-data expression= sandbox posix',
    textUnless: ['e', 'expression'],
    takesScript: true,
    allows: onlyPrintsWithSed,
  },
  awk: { valued: 'F', textUnless: [], takesScript: true, allows: onlyPrintsWithAwk },
  jq: {
    flags: 'acCeMnrsSj',
    valued: '',
    long: 'compact-output raw-output raw-input slurp sort-keys tab null-input exit-status color-output monochrome-output',
    textUnless: [],
    takesScript: true,
    allows: onlyPrintsWithJq,
  },
}
