import type { Effect } from '../tool-call.ts'
import type { Word } from './cursor.ts'
import { effectOfArguments } from './read-effects.ts'
import type { State } from './read-effects.ts'
import { readCommands } from '../reading/read-commands.ts'

/** Whether a program tests a condition. Pure. */
export const isTest = (name: string): boolean => name === 'test' || name === '[' || name === '[['

/** Conditions: what is compared tells little, and is not run. */
export function effectOfTest(name: string, args: Word[], state: State): Effect {
  if (name !== 'test') {
    const end = name === '[' ? ']' : ']]'
    const last = args.at(-1)
    return last?.text === end && last.isOpen === 'no'
      ? effectOfCondition(name, args.slice(0, -1), state)
      : 'runs'
  }
  return effectOfCondition(name, args, state)
}

function effectOfCondition(name: string, args: Word[], state: State): Effect {
  const [first, ...rest] = args
  if (first?.text === '!' && first.isOpen === 'no') return effectOfCondition(name, rest, state)
  const isOne = ({ isSeveral, zshGlob, isGlob }: Word) => name === '[[' || !(isSeveral || zshGlob || isGlob)
  const isKnown = (word: Word | undefined) => word?.isOpen === 'no' && !word.isBound
  if (args.length === 2 && isKnown(first) && /^-[nz]$/.test(first!.text) && isOne(rest[0]!)) return 'reads'
  const operator = isKnown(args[1]) ? args[1]!.text : ''
  const compares = /^(==?|!=)$/.test(operator) || (name === '[[' && operator === '=~')
  const isPlain = (word: Word) =>
    word.isOpen !== 'yes' &&
    isOne(word) &&
    (name === '[[' || word.isOpen !== 'no' || isPlainOperand.test(word.text))
  if (args.length === 3 && compares && isPlain(first!) && isPlain(args[2]!)) return 'reads'
  if (args.some(({ isOpen, zshGlob }) => isOpen !== 'no' || zshGlob)) return 'runs'
  // A variable in quotes is one file, whatever it stands for.
  const isFile = args.length === 2 && rest[0]!.isBound
  return effectOfArguments(
    readCommands['test']!,
    isFile ? [first!, { ...rest[0]!, isGlob: false, text: rest[0]!.text.replaceAll(/[*?]/g, 'x') }] : args,
    // The test only shows that the file exists, not what is in it.
    { ...state, isLenient: true },
  )
}

const isPlainOperand = /^([\w./~][\w./~ :@+-]*)?$/
