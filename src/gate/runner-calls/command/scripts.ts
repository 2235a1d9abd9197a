import { writesControls } from './allowed-arguments.ts'
import { onlyPrintsLines } from './awk.ts'
import type { Arguments } from './options.ts'

// Scripts of other languages inside a command: only the few forms that agents use to look at files, and of these only what every
// implementation reads alike.

/** Some implementations cut lines after 2048 bytes. */
const scriptCharsMax = 500

/**
 * A character of a part of a script that ends with `end`. Brackets and escapes hide an `end` from some implementations only: so
 * brackets are closed and have none. No `\\` either: fish makes one of the two, also between single quotes. Terminals obey what
 * `\x1b` stands for.
 * @source POSIX.1-2024, sed, Regular Expressions in sed; GNU sed 4.9 ends a part inside brackets
 */
function charBefore(end: string, controls = '|x1[bB]'): string {
  const plain = String.raw`[^\\[\n${end}]`
  const escape = String.raw`\\(?:[^\\\nA-Za-z0-9]|[1-9ntswSWbB]${controls})`
  const bracket = String.raw`\[\^?(?:\[:[a-z]+:\]|\\[nt]|[^\\[\]^\n${end}])+\]`
  return `(?:${plain}|${escape}|${bracket})`
}

const pattern = `/${charBefore('/')}+/I?`
const address = String.raw`(?:\d+|\$|${pattern})`
const lines = String.raw`(?:${address}(?: *, *(?:\+\d+|${address}))?)? *!? *`
const replacements = ['/', '\\|', '#', ',']
  .map((end) => `s${end}${charBefore(end)}+${end}${charBefore(end, '')}*${end}[gpIi0-9]*`)
  .join('|')
const sedStep = new RegExp(`[ ;\\n]+|${lines}(?:[pdq=]|${replacements}) *(?:[;\\n]|$)`, 'y')

/** A script of lines to print and simple replacements: `e`, `w`, `r` and all else can run programs or reach files. */
export function onlyPrintsWithSed({ options, operands }: Arguments): boolean {
  const given = options.filter(({ name }) => name === 'e' || name === 'expression').map(({ value }) => value!)
  const scripts = given.length > 0 ? given : operands.slice(0, 1)
  return scripts.length > 0 && scripts.every(onlyPrints)
}

function onlyPrints(script: string): boolean {
  if (script.length > scriptCharsMax || !hasKnownChars(script)) return false
  for (sedStep.lastIndex = 0; sedStep.lastIndex < script.length;) if (!sedStep.test(script)) return false
  return true
}

/** In some encodings the last byte of a letter is that of one of these signs. */
const hasKnownChars = (script: string): boolean =>
  /^[\n -~]*$/.test(script) || (/^[\n -~\p{L}]*$/u.test(script) && !/[\\[|]/.test(script))

/** A script that prints fields of lines, counts and sums: no pipes, files or variables of the environment. */
export const onlyPrintsWithAwk = ({ options, operands }: Arguments): boolean =>
  onlyPrintsLines(operands[0] ?? '') &&
  options.every(({ name, value }) => name !== 'v' || /^[A-Za-z_]\w*=/.test(value!)) &&
  ![...operands.slice(1), ...options.map(({ value }) => value ?? '')].some(makesCharacters)

/** Values of variables, which an operand may set too, have escapes. */
const makesCharacters = (text: string): boolean => text.split('=').slice(1).join('=').includes('\\')

/** Names that reach the environment or files that are no operands, unless they are the name of a field: `.env`. */
const jqReaches =
  /(?<!(?<!\.)\.)\b(?:env|ENV|import|include|modulemeta|input_filename|debug|halt_error|getpath)\b/

/** Functions that make any character of a number, an encoded text or one of two parts. */
const jqDecodes = /\b(implode|fromjson)\b|@base(64|32)d/

/** A filter that reaches neither the environment nor other files, and writes no characters that terminals obey. */
export function onlyPrintsWithJq({ options, operands }: Arguments): boolean {
  const [filter = ''] = operands
  if (filter === '' || jqReaches.test(filter)) return false
  const isRaw = options.some(({ name }) => ['r', 'j', 'raw-output'].includes(name))
  return !isRaw || !(writesControls(filter) || jqDecodes.test(filter))
}
