import { placeOf } from '../paths.ts'
import type { Effect } from '../tool-call.ts'
import { isTest } from './conditions.ts'
import type { Word } from './cursor.ts'
import { readCommands } from '../reading/read-commands.ts'
import type { State } from './read-effects.ts'
import { searchWordsOf } from './search-words.ts'

/** The words that may name files with credentials: search words do not. */
export function namesIn(words: Word[], state: State): Word[] {
  const name = programOf(words)
  if (isTest(name) || (state.isLenient && tellsNames(words))) return []
  const left = searchWordsOf(words)
  return left.length === 0
    ? words
    : words.filter(({ text, isGlob, isOpen }) => {
        // No file is called as an option.
        const mayBeSeveral = isOpen !== 'no' || (isGlob && !text.startsWith('-'))
        const at = mayBeSeveral ? -1 : left.findIndex((searched) => searched === text)
        if (at >= 0) left.splice(at, 1)
        return at < 0
      })
}

/** Whether a command tells only names of files, their size and date; of others its operands are looked at alone. */
function tellsNames([first, ...args]: Word[]): boolean {
  const name = first?.isOpen === 'no' ? first.text : ''
  if (name === 'git') return /^(check-ignore|ls-files|status)$/.test(args[0]?.text ?? '')
  return name === 'find' || (Object.hasOwn(readCommands, name) && (readCommands[name]!.tellsNames ?? false))
}

/** The name of the program; empty: it is not known. */
export const programOf = ([first]: Word[]): string =>
  first?.isOpen !== 'no' ? '' : (/^(?:\/usr)?\/bin\/([^/]+)$/.exec(first.text)?.[1] ?? first.text)

const mayName = /[.~/_-]|key|pem/i

/** A word that names credentials counts for every command, whatever it does with them. */
export function credentialsIn({ text, isGlob }: Word, state: State): Effect {
  const parts = new Set([text, ...text.split(/[=:@,]/).slice(1)].filter((part) => mayName.test(part)))
  state.namesLeft -= parts.size
  if (state.namesLeft < 0) return 'runs'
  return [...parts].some((part) => placeOf(part, state, isGlob) === 'credentials') ? 'credentials' : 'reads'
}
