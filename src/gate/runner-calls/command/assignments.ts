import type { Effect } from '../tool-call.ts'
import type { SimpleCommand, Word } from './cursor.ts'
import { isPlainVariable } from './variables.ts'

/** Variables that change only how output looks. */
const plainAssignments = /^(LC_[A-Z]+|LANG|NO_COLOR|FORCE_COLOR|CLICOLOR|CI)$/
/** zsh evaluates their values. */
const plainNumbers = /^(COLUMNS|LINES)$/
const plainPagers = /^(PAGER|GIT_PAGER|GH_PAGER|MANPAGER)$/

/** What setting a variable can do, for one command or, without any, for those after it. Pure. */
export function effectOfAssignment(name: string, value: Word, { words }: SimpleCommand): Effect {
  if (words.length === 0 && isPlainVariable(name)) return value.isOpen === 'yes' ? 'runs' : 'reads'
  // It says how a line is split.
  if (name === 'IFS' && words[0]?.text === 'read' && value.isOpen === 'no') return 'reads'
  return isPlainFor(name, value) ? 'reads' : 'runs'
}

function isPlainFor(name: string, { text, isOpen }: Word): boolean {
  const isPager = plainPagers.test(name) && /^(cat)?$/.test(text)
  const isZone = name === 'TZ' && /^[A-Za-z_]+(\/[A-Za-z_]+)*$/.test(text)
  // A path as a language loads the texts of programs from there.
  const isPlain = plainAssignments.test(name) && /^[\w.:@-]*$/.test(text) && !text.includes('..')
  const isNumber = plainNumbers.test(name) && /^\d+$/.test(text)
  return isOpen === 'no' && (isPager || isZone || isPlain || isNumber)
}
