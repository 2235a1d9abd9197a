import type { Effect } from '../tool-call.ts'
import type { Word } from './cursor.ts'

/** Variables that change only how output looks. */
const plainAssignments = /^(LC_[A-Z]+|LANG|NO_COLOR|FORCE_COLOR|CLICOLOR|CI)$/
/** zsh evaluates their values. */
const plainNumbers = /^(COLUMNS|LINES)$/
const plainPagers = /^(PAGER|GIT_PAGER|GH_PAGER|MANPAGER)$/

/** What setting a variable for a command can do. Pure. */
export function effectOfAssignment(name: string, { text, isOpen }: Word): Effect {
  const isPager = plainPagers.test(name) && /^(cat)?$/.test(text)
  const isZone = name === 'TZ' && /^[A-Za-z_]+(\/[A-Za-z_]+)*$/.test(text)
  // A path as a language loads the texts of programs from there.
  const isPlain = plainAssignments.test(name) && /^[\w.:@-]*$/.test(text) && !text.includes('..')
  const isNumber = plainNumbers.test(name) && /^\d+$/.test(text)
  return isOpen === 'no' && (isPager || isZone || isPlain || isNumber) ? 'reads' : 'runs'
}
