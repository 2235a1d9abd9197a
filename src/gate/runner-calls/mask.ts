import { looksRandom, shellText } from './shell-text.ts'
import type { ShellText } from './shell-text.ts'

/**
 * Secrets of known shapes. Every pattern is bounded: it starts at a fixed text or a word boundary, and no part of it can match
 * the same characters in two ways. None covers white space or what a shell acts on, except between the lines of a key: who
 * approves a call must see what it runs.
 */
const shapes: [pattern: RegExp, replacement: string][] = [
  [
    /-----BEGIN (?:[A-Z0-9 ]{0,30})PRIVATE KEY(?: BLOCK)?-----(?:(?:\s|\\[nrt]){1,8}(?:(?:Proc-Type|DEK-Info|Version|Comment): [0-9A-Za-z, .-]{1,80}|[0-9A-Za-z+/=]{60,}|[0-9A-Za-z+/]{24,59}={0,2}|[0-9A-Za-z+/]{1,23}={1,2}|=[0-9A-Za-z+/]{4}(?![0-9A-Za-z+/=])))+(?:(?:\s|\\[nrt]){1,8}-----END [A-Z0-9 ]{0,50}-----)?/g,
    '[private key]',
  ],
  [/\bqgk_[0-9A-Za-z]{8,64}/g, 'qgk_[masked]'],
  [/\b(AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b/g, '$1[masked]'],
  [/\b(gh[pousr]_|github_pat_|glpat-|gldt-|glrt-)[0-9A-Za-z_-]{16,255}/g, '$1[masked]'],
  [/\b(xox[abeoprs]-|xapp-)[0-9A-Za-z-]{10,255}/g, '$1[masked]'],
  [/\b(hooks\.slack\.com\/(?:services|workflows)\/)[0-9A-Za-z/_-]{10,255}/g, '$1[masked]'],
  [/\b([sr]k_(?:live|test)_|whsec_)[0-9A-Za-z_]{16,255}/g, '$1[masked]'],
  [/\b(AIza)[0-9A-Za-z_-]{35}/g, '$1[masked]'],
  [/\b(ya29\.|GOCSPX-)[0-9A-Za-z_-]{16,255}/g, '$1[masked]'],
  [/\b(pypi-|dop_v1_|SG\.|sq0[a-z]{3}-|lin_api_|shpat_)[0-9A-Za-z_.-]{20,255}/g, '$1[masked]'],
  // The match begins at the start of its word, as in `session-eyJ…`: `-eyJ-eyJ…` would be read again from each `eyJ`.
  [
    /(?<![0-9A-Za-z_-])((?:[0-9A-Za-z_]{0,64}-){0,3})eyJ[0-9A-Za-z_-]{8,4096}\.[0-9A-Za-z_-]{8,8192}(?:\.[0-9A-Za-z_-]{0,2048})?/g,
    '$1[JSON web token]',
  ],
  [/(:\/\/[^\s:/@"'<>;`$|&()]{0,200}:)[^\s/@"'<>;`$|&()]{1,1000}(?=@)/g, '$1[masked]'],
]

/** Starts that names of files and commands have too: what follows must look like a key. */
const shapesLikeNames: [pattern: RegExp, isKey: (value: string) => boolean][] = [
  [/\b(re_)([0-9A-Za-z_]{16,255})/g, looksMinted],
  [/\b(sk-(?:ant-|proj-|svcacct-|or-)?)([0-9A-Za-z_-]{20,255})/g, looksMinted],
  [/\b(npm_)([0-9A-Za-z_.-]{20,255})/g, looksMinted],
  // Tokens of Hugging Face have letters only.
  [
    /\b(hf_)([0-9A-Za-z_.-]{20,255})/g,
    (value) => looksMinted(value) || /^(?=.*?[a-z])(?=.*?[A-Z])[A-Za-z]{34}$/.test(value),
  ],
]

/** Whether a text is random, or ends as one: with 16 letters and digits or more, small, capital and digits. */
function looksMinted(value: string): boolean {
  const end = /(?<![0-9A-Za-z])[0-9A-Za-z]*$/.exec(value.slice(-64))![0]
  return looksRandom(value) || (end.length >= 16 && [/\d/, /[a-z]/, /[A-Z]/].every((some) => some.test(end)))
}

/** Secrets that follow a name that says so, after white space too. */
const shapesAfterNames = [
  /\b((?:proxy-)?authorization["']?\s{0,5}[:=]\s{0,5}["']?(?:(?:bearer|basic|token|digest|negotiate)\s{1,5})?)([^\s"',;`$|&<>()]{4,8192})/gi,
  /\b((?:bearer|basic)\s{1,5})([0-9A-Za-z._~+/=-]{16,8192})/gi,
]

const nameOfSecret =
  /(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)s?(?=["']?\s{0,5}[:=])/gi
// A quote here may end the text before it: what follows would then be words and commands of their own.
const valueOfSecret =
  /["']?\s{0,5}[:=]\s{0,5}(?:"(?:[^"\\\s;`$|&<>()]|\\[^\s;`$|&<>()]){1,4096}"|'(?:[^'\\\s;`$|&<>()]|\\[^\s;`$|&<>()]){1,4096}'|[^\s"';`$|&<>(),]{1,4096})/y

const allPatterns = [...shapes, ...shapesLikeNames].map(([pattern]) => pattern)
/** Any of the shapes, whatever its case: most texts contain none, and one search tells. */
const anyShape = new RegExp(
  [...allPatterns, ...shapesAfterNames, nameOfSecret].map(({ source }) => source).join('|'),
  'i',
)

/**
 * Masks secrets of known shapes in a text before it is stored or shown. Other secrets stay. Linear. Pure.
 * @param isCommand  a shell reads the text: what could be a word of its own, or what a variable stands for, stays
 */
export function maskSecrets(text: string, isCommand: boolean): string {
  if (!anyShape.test(text)) return text
  let masked = shapes.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text)
  for (const [pattern, isKey] of shapesLikeNames)
    masked = masked.replace(pattern, (all, start: string, value: string) =>
      isKey(value) ? `${start}[masked]` : all,
    )
  for (const pattern of shapesAfterNames) {
    const shell = isCommand ? shellText(masked) : null
    masked = masked.replace(pattern, (all, mark: string, value: string, at: number) =>
      isHidden({ name: null, at, mark, value }, shell) ? `${mark}[masked]` : all,
    )
  }
  return maskNamedValues(masked, isCommand ? shellText(masked) : null)
}

/** A value after the name of a secret. */
interface NamedValue {
  /** The whole word that ends with the name; null: no variable can have it. */
  name: string | null
  /** Where the name starts. */
  at: number
  /** What stands between name and value. */
  mark: string
  value: string
}

/** Whether a value is masked. A path never is, and in a command nothing that could be a word or a program. */
function isHidden({ name, at, mark, value }: NamedValue, shell: ShellText | null): boolean {
  if (/^["']?[/~.]/.test(value)) return false
  if (!shell || looksRandom(value)) return true
  if (value.includes('/') || (name !== null && shell.reads(name))) return false
  return !/\s/.test(mark) || shell.isInQuotedData(at)
}

/** Masks what follows `password=`, `"token": "` and their like. */
function maskNamedValues(text: string, shell: ShellText | null): string {
  const parts: string[] = []
  let from = 0
  // A value that stays may contain further names, whose values end where it ends: `a=/b?token=c`.
  let charsLeft = 10 * text.length
  for (const name of text.matchAll(nameOfSecret)) {
    const at = name.index + name[0].length
    if (at < from || charsLeft < 0) continue
    valueOfSecret.lastIndex = at
    const found = valueOfSecret.exec(text)?.[0]
    if (found === undefined) continue
    const mark = /^["']?\s{0,5}[:=]\s{0,5}["']?/.exec(found)![0]
    const quote = mark.endsWith('"') || mark.endsWith("'") ? mark.at(-1)! : ''
    const value = found.slice(mark.length)
    charsLeft -= found.length
    if (!isHidden({ name: wordUpTo(text, at), at: name.index, mark, value }, shell)) continue
    parts.push(text.slice(from, at), mark, '[masked]', quote)
    from = at + found.length
  }
  return parts.join('') + text.slice(from)
}

/** The letters, digits and underscores before a place. */
function wordUpTo(text: string, end: number): string {
  let from = end
  while (from > 0 && /\w/.test(text[from - 1]!)) from--
  return text.slice(from, end)
}
