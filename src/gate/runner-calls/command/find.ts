import { writesControls } from './allowed-arguments.ts'

const tests = {
  /** Options without a value. */
  alone:
    '-print -print0 -ls -prune -empty -not ! ( ) , -o -or -a -and -true -false -depth -d -mount -xdev -x -follow -quit -readable ' +
    '-writable -executable -nouser -nogroup -daystart -noleaf -L -H -P -E -X -warn -nowarn',
  /** Options with one value. */
  valued:
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size -perm ' +
    '-user -group -uid -gid -links -inum -mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -newermt -newerct ' +
    '-lname -ilname -printf -fstype -samefile -used',
}
const alone = tests.alone.split(' ')
const valued = tests.valued.split(' ')

/** What a `find` looks into, and what it does with the files. */
export interface Find {
  folders: string[]
  /** Programs that it starts, with files in place of `{}`. */
  starts: string[][]
  /** The names of all files that it prints or starts programs with; null: any. */
  names: FileNames
}

/** Wildcards, one of which the name of each file has; null: any. */
export type FileNames = string[] | null

/** What a `find` does; null where that is more than to look and to start others: `-delete`, `-fprintf` and their like. Pure. */
export function readFind(args: string[]): Find | null {
  const find: Find = { folders: [], starts: [], names: null }
  const alternatives: Step[][] = [[]]
  let depth = 0
  let isNegated = false
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    const steps = alternatives.at(-1)!
    if (arg === '(') depth++
    else if (arg === ')') depth--
    const isGroup = depth > 0 || arg === ')'
    if (arg === '-o' || arg === '-or' || arg === ',') {
      if (isGroup) steps.push({ is: 'or' })
      else alternatives.push([])
    } else if (arg === '-exec') {
      const end = endOfProgram(args, at)
      if (end === -1) return null
      find.starts.push(args.slice(at + 1, end))
      steps.push({ is: 'action' })
      at = end
    } else if (valued.includes(arg)) {
      const value = args[++at] ?? ''
      // A `find` that knows the test without a value would take it for an action.
      if (mayBeAction(value) || (arg === '-printf' && writesControls(value))) return null
      if (arg === '-printf') steps.push({ is: 'action' })
      else if (/^-i?name$/.test(arg)) steps.push({ is: isNegated ? 'test' : 'name', name: value })
    } else if (alone.includes(arg)) {
      if (/^-(print0?|ls)$/.test(arg)) steps.push({ is: 'action' })
      else if (arg === '-prune') steps.push({ is: isGroup ? 'test' : 'prune' })
      else if (arg === '(') steps.push({ is: isNegated ? 'not' : 'open' })
      else if (arg === ')') steps.push({ is: 'close' })
    } else if (arg.startsWith('-')) return null
    else find.folders.push(arg)
    isNegated = arg === '!' || arg === '-not'
  }
  find.names = namesIn(alternatives)
  return find
}

const mayBeAction = (value: string): boolean => /^-[a-z]/i.test(value) && !/^-[ugo]+[+=]/.test(value)

interface Step {
  is: 'name' | 'test' | 'prune' | 'action' | 'open' | 'not' | 'or' | 'close'
  name?: string
}

const endOfProgram = (args: string[], start: number): number =>
  args.findIndex((arg, at) => at > start && (arg === ';' || (arg === '+' && args[at - 1] === '{}')))

/** The names of all files for which an action of an alternative is done; without any the files are printed. */
function namesIn(alternatives: Step[][]): FileNames {
  const acts = (steps: Step[]) => steps.some(({ is }) => is === 'action')
  const isExplicit = alternatives.some(acts)
  const names: string[] = []
  for (const steps of alternatives) {
    // Files that are pruned are not printed where another alternative has an action.
    if (isExplicit && !acts(steps)) continue
    const end = steps.findIndex(({ is }) => is === 'action')
    const found = namesBefore(steps.slice(0, end === -1 ? steps.length : end))
    if (found === null) return null
    names.push(...found)
  }
  return names
}

/** The names that all of some steps leave: those of one test, or of a group in which each alternative has one. */
function namesBefore(steps: Step[]): FileNames {
  const open = steps.findIndex(({ is }) => is === 'open' || is === 'not')
  const plain = steps.slice(0, open === -1 ? steps.length : open).filter(({ is }) => is === 'name')
  if (plain.length > 0) return plain.map(({ name }) => name!)
  if (open === -1) return null
  const close = steps.findIndex(({ is }) => is === 'close')
  const group = steps.slice(open + 1, close)
  const isSimple = close > open && group.every(({ is }) => is === 'name' || is === 'or' || is === 'test')
  const alternatives = group
    .map(({ is }) => (is === 'or' ? '|' : is === 'name' ? 'n' : ''))
    .join('')
    .split('|')
  if (steps[open]!.is === 'open' && isSimple && alternatives.every((one) => one.includes('n')))
    return group.filter(({ is }) => is === 'name').map(({ name }) => name!)
  // Groups may be in each other: what follows the first one may tell still.
  return isSimple ? namesBefore(steps.slice(close + 1)) : null
}
