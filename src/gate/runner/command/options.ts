/** Which options and operands a command may have so that it only reads. Whatever is not listed makes it unsure. */
export interface ReadCommand {
  /** Short options without a value. */
  flags?: string
  /** Short options with a value. */
  valued?: string
  /** Likewise, but the value is always the next argument: the letters after one of these are options too. */
  apart?: string
  /** Likewise, but only the rest of the same argument is a value, which may be left out. */
  glued?: string
  /** Long options, separated by spaces: `name`, `name=` with a value, `name?` with or without `=value`. */
  long?: string
  /** Whatever stands after the first operand is one, too, also with a dash. */
  optionsFirst?: boolean
  /** Whether `-5` is an option. */
  digits?: boolean
  /** What the operands are; default `paths`. `texts`: no files, so wildcards and harmless variables may be there. */
  operands?: 'paths' | 'texts'
  /** Options with which the operands are paths, although `operands` is `texts`. */
  pathsWith?: string
  /** The first operand is a text, such as a pattern, unless one of these options is given. */
  textUnless?: string[]
  operandsMax?: number
  /** Every argument is a text, also those that look like options. */
  isRaw?: boolean
  /** It tells names and figures of files, not their content. */
  listsOnly?: boolean
  /** Of those it tells nothing that is made of their content, so it may name files with credentials. */
  tellsNames?: boolean
  /** Options whose values are search words, also where these look like the names of files. */
  searchWords?: string[]
  /** That first operand is a script: a search word only where `allows` knows that it reaches no files. */
  isScript?: boolean
  /** It has options that start other programs, which are not listed here. */
  startsOthers?: boolean
  /** None of its options does harm: a file may have the name of any. */
  isHarmless?: boolean
  /** It reads all files of a folder: outside the working folder that may be any. */
  readsFolders?: boolean
  /** Whether it does so, and without operands in the folder where it runs. */
  searches?: (args: Arguments) => boolean
  /** What else must hold of the arguments. */
  allows?: (args: Arguments, hasMoved: boolean) => boolean
}

export interface Arguments {
  /** Without the dashes. */
  options: { name: string; value: string | null }[]
  operands: string[]
  /** Values that stand alone after an operand: programs that take options only before operands read these as operands. */
  lateValues: string[]
}

/** Reads the arguments of a command; null where an option is not in its list. Pure. */
export function readArguments(command: ReadCommand, args: string[]): Arguments | null {
  const read: Arguments = { options: [], operands: [], lateValues: [] }
  const rest = args.values()
  for (const arg of rest) {
    if (arg === '--') read.operands.push(...rest)
    else if (arg === '-' || !arg.startsWith('-') || (command.optionsFirst && read.operands.length > 0))
      read.operands.push(arg)
    else if (!(arg.startsWith('--') ? readLong : readShort)(command, read, arg, rest)) return null
  }
  return read
}

function readLong(command: ReadCommand, read: Arguments, arg: string, rest: Iterator<string>): boolean {
  const [, name, value] = /^--([A-Za-z0-9-]+)(?:=(.*))?$/s.exec(arg) ?? []
  if (name === undefined) return false
  const known = (command.long ?? '').split(' ')
  if (value === undefined && (known.includes(name) || known.includes(`${name}?`))) {
    read.options.push({ name, value: null })
    return true
  }
  if (!known.includes(`${name}=`) && !(value !== undefined && known.includes(`${name}?`))) return false
  return pushValue(read, name, value ?? nextValue(read, rest))
}

function readShort(command: ReadCommand, read: Arguments, arg: string, rest: Iterator<string>): boolean {
  if (command.digits && /^-\d+$/.test(arg)) return true
  for (let i = 1; i < arg.length; i++) {
    const name = arg[i]!
    if ((command.apart ?? '').includes(name))
      return i === arg.length - 1 && pushValue(read, name, nextValue(read, rest))
    if ((command.glued ?? '').includes(name)) return pushValue(read, name, arg.slice(i + 1))
    if ((command.valued ?? '').includes(name))
      return pushValue(read, name, arg.slice(i + 1) || nextValue(read, rest))
    if (!(command.flags ?? '').includes(name)) return false
    read.options.push({ name, value: null })
  }
  return true
}

/** The next argument as a value. One with a dash is refused: where the value is optional it would be an option. */
function nextValue(read: Arguments, rest: Iterator<string>): string | undefined {
  const next: string | undefined = rest.next().value
  if (next === undefined || next.startsWith('-')) return undefined
  if (read.operands.length > 0) read.lateValues.push(next)
  return next
}

function pushValue(read: Arguments, name: string, value: string | undefined): boolean {
  if (value === undefined) return false
  read.options.push({ name, value })
  return true
}
