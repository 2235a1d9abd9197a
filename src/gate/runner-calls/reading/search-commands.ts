import { isRecursive, readsNoHiddenFiles, selectsNoHiddenFiles } from '../command/allowed-arguments.ts'
import type { ReadCommand } from '../command/options.ts'

const grep: ReadCommand = {
  isHarmless: 'plain',
  flags: 'acEFGHhiIlLnoPqRrsvwxyzZ',
  valued: 'ABCDdefm',
  digits: true,
  long:
    'text count extended-regexp fixed-strings basic-regexp perl-regexp with-filename no-filename ignore-case no-ignore-case ' +
    'files-with-matches files-without-match line-number only-matching quiet silent recursive dereference-recursive no-messages ' +
    'invert-match word-regexp line-regexp null null-data line-buffered initial-tab byte-offset color? colour? regexp= file= ' +
    'max-count= after-context= before-context= context= include= exclude= exclude-dir= binary-files= directories= label=',
  textUnless: ['e', 'f', 'regexp', 'file'],
  searchWords: ['e', 'regexp', 'exclude', 'exclude-dir'],
  searches: isRecursive,
  allows: readsNoHiddenFiles,
}
/** Commands that search files or their names, with every option that leaves them so. */
export const searchCommands: Record<string, ReadCommand> = {
  grep,
  egrep: grep,
  fgrep: grep,
  // Hidden files are left out unless an option, not listed here, says otherwise.
  rg: {
    optionsAnywhere: true,
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
    searchWords: ['e', 'regexp'],
    allows: selectsNoHiddenFiles,
  },
  fd: {
    optionsAnywhere: true,
    flags: 'aFgipsl0',
    valued: 'edtESj',
    long:
      'absolute-path fixed-strings glob ignore-case full-path case-sensitive extension= max-depth= min-depth= type= exclude= ' +
      'color= max-results= follow strip-cwd-prefix changed-within= changed-before= size=',
    textUnless: [],
    tellsNames: true,
    listsOnly: true,
    startsOthers: true,
  },
  ag: {
    flags: 'cFilLnoQsSvwz',
    valued: 'ABCGm',
    long: 'count fixed-strings ignore-case files-with-matches literal numbers nonumbers nocolor nogroup case-sensitive smart-case',
    searches: () => true,
    textUnless: [],
    searchWords: [],
    startsOthers: true,
  },
}
