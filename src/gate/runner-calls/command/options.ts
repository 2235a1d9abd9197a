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
  /** It takes options after operands wherever it runs. */
  optionsAnywhere?: boolean
  /** Whether `-5` is an option. */
  digits?: boolean
  /** What the operands are; default `paths`. `texts`: no files, so wildcards and harmless variables may be there. */
  operands?: 'paths' | 'texts'
  /** Options with which the operands are paths, although `operands` is `texts`. */
  pathsWith?: string
  /** The first operand is a text, such as a pattern, unless one of these options is given. */
  textUnless?: string[]
  /** That text is a program in a language of its own: a search word only where `allows` knows that it reaches no files. */
  takesScript?: boolean
  operandsMax?: number
  /** Every argument is a text, also those that look like options. */
  isRaw?: boolean
  /** It tells names and figures of files, not their content. */
  listsOnly?: boolean
  /** It tells nothing that depends on the content of the files, so it may name files with credentials. */
  tellsNames?: boolean
  /** Options whose values are search words, also where these look like the names of files. */
  searchWords?: string[]
  /** It has options that start other programs, which are not listed here. */
  startsOthers?: boolean
  /** None of its options does harm: a file may have the name of any. `plain`: of any with the ending of code or prose. */
  isHarmless?: boolean | 'plain'
  /** It reads all files of a folder: outside the working folder that may be any. */
  readsFolders?: boolean
  /** Its operands are of git: a revision and a path in it, or a pattern of paths. */
  pathspecs?: boolean
  /** Whether it does so, and without operands in the folder where it runs. */
  searches?: (args: Arguments) => boolean
  /** What else must hold of the arguments. */
  allows?: (args: Arguments, hasMoved: boolean) => boolean
}

export interface Arguments {
  /** Without the dashes. */
  options: { name: string; value: string | null }[]
  operands: string[]
  /** How many arguments stand before the first operand. */
  leading: number
  /** Whatever follows the first operand was read as an operand, although it may be an option. */
  endsAtOperand: boolean
}

/**
 * Reads the arguments of a command in each way that systems do; null where an option is not in its list. Some take options after
 * operands. On others, such as macOS, or with POSIXLY_CORRECT, all that follows the first operand is an operand. Pure.
 * @source POSIX.1-2024, Utility Syntax Guidelines, 9
 */
export function readArguments(command: ReadCommand, args: string[]): Arguments[] | null {
  const read = readOnce(command, args, false)
  if (!read || command.optionsAnywhere) return read && [read]
  const strict = readOnce(command, args, true)
  return strict && strict.operands.length > read.operands.length ? [read, strict] : [read]
}

function readOnce(command: ReadCommand, args: string[], endsAtOperand: boolean): Arguments | null {
  const read: Arguments = { options: [], operands: [], leading: args.length, endsAtOperand }
  const rest = args.entries()
  for (const [at, arg] of rest) {
    if (endsAtOperand && read.operands.length > 0) read.operands.push(arg)
    else if (arg === '--') for (const [next, operand] of rest) pushOperand(read, operand, next)
    else if (arg === '-' || !arg.startsWith('-')) pushOperand(read, arg, at)
    else if (!(arg.startsWith('--') ? readLong : readShort)(command, read, arg, rest)) return null
  }
  return read
}

function pushOperand(read: Arguments, operand: string, at: number): void {
  read.leading = Math.min(read.leading, at)
  read.operands.push(operand)
}

/** Whether the first operand is a text. */
export const hasText = ({ textUnless }: ReadCommand, { options }: Arguments): boolean =>
  textUnless !== undefined && !options.some(({ name }) => textUnless.includes(name))

type Rest = Iterator<[number, string]>

function readLong(command: ReadCommand, read: Arguments, arg: string, rest: Rest): boolean {
  const [, name, value] = /^--([A-Za-z0-9-]+)(?:=(.*))?$/s.exec(arg) ?? []
  if (name === undefined) return false
  const known = (command.long ?? '').split(' ')
  if (value === undefined && (known.includes(name) || known.includes(`${name}?`))) {
    read.options.push({ name, value: null })
    return true
  }
  if (!known.includes(`${name}=`) && !(value !== undefined && known.includes(`${name}?`))) return false
  return pushValue(read, name, value ?? nextValue(rest))
}

function readShort(command: ReadCommand, read: Arguments, arg: string, rest: Rest): boolean {
  if (command.digits && /^-\d+$/.test(arg)) return true
  for (let i = 1; i < arg.length; i++) {
    const name = arg[i]!
    if ((command.apart ?? '').includes(name))
      return i === arg.length - 1 && pushValue(read, name, nextValue(rest))
    if ((command.glued ?? '').includes(name)) return pushValue(read, name, arg.slice(i + 1))
    if ((command.valued ?? '').includes(name))
      return pushValue(read, name, arg.slice(i + 1) || nextValue(rest))
    if (!(command.flags ?? '').includes(name)) return false
    read.options.push({ name, value: null })
  }
  return true
}

/** The next argument as a value. One with a dash is refused: where the value is optional it would be an option. */
function nextValue(rest: Rest): string | undefined {
  const [, next] = rest.next().value ?? []
  return next?.startsWith('-') ? undefined : next
}

function pushValue(read: Arguments, name: string, value: string | undefined): boolean {
  if (value === undefined) return false
  read.options.push({ name, value })
  return true
}
