import { writesControls } from './allowed-arguments.ts'

// A script of awk is read as a row of tokens: no order of those that are known here starts a program, or opens a file. What any awk
// could read as another row is not known: a division beside a pattern, brackets in it, functions without parentheses.

/** Some implementations cut lines after 2048 bytes. */
const scriptCharsMax = 500

const tokens: [kind: Token['is'], pattern: RegExp][] = [
  ['blank', /[ \t\n]+/y],
  ['text', /"(?:[\w ,:.$%=#'()*+!?<>&;@~^/-]|\\[nt])*"/y],
  ['number', /\d+(?:\.\d+)?/y],
  ['name', /[A-Za-z_]\w*/y],
  ['sign', /\+\+|--|&&|\|\||[-+*/%<>=!]=|!~|[-+*%<>=!~?,;$(){}[\]]|:(?!:)/y],
]
/** Without quotes, brackets and braces: what ends it is the same to every reader. */
const pattern = /\/(?:[\w ,:.$^*+?=<>@%!&;~#|()'-]|\\[./$^*+?()|[\]{}dswbDSWB-])+\//y

interface Token {
  is: 'blank' | 'text' | 'number' | 'name' | 'sign' | 'pattern'
  text: string
}

const keywords = new Set('BEGIN END print printf if else for in next exit'.split(' '))
const functions = new Set('length substr index tolower toupper int split sub gsub match'.split(' '))
/** `ENVIRON` has secrets, `ARGV` names the files that are read. */
const variables = new Set('NR NF FNR FILENAME FS OFS ORS RSTART RLENGTH SUBSEP'.split(' '))
/** What other names in lower case mean to some awk. */
const otherNames = new Set(
  (
    'getline system close fflush delete function func return while do break continue switch case default nextfile sprintf ' +
    'srand rand sin cos atan atan2 exp log sqrt and or xor compl lshift rshift strftime systime mktime gensub asort asorti ' +
    'patsplit strtonum typeof isarray mkbool dcgettext dcngettext bindtextdomain extension adump stopme include load eval ' +
    'fopen popen pipe abort spawn'
  ).split(' '),
)

/** Whether a script only prints what the lines contain, sums and counts of it. Pure. */
export function onlyPrintsLines(script: string): boolean {
  const read = tokensOf(script)
  return (
    read !== null && read.length > 0 && read.every((token, at) => isPlain(token, read, at)) && nests(read)
  )
}

function tokensOf(script: string): Token[] | null {
  if (script.length > scriptCharsMax) return null
  const read: Token[] = []
  for (let at = 0; at < script.length;) {
    const token = tokenAt(script, at, read.at(-1))
    if (!token) return null
    if (token.is !== 'blank') read.push(token)
    else if (token.text.includes('\n') && read.length > 0) read.push({ is: 'sign', text: ';' })
    at += token.text.length
  }
  return read
}

function tokenAt(script: string, at: number, before: Token | undefined): Token | null {
  if (script[at] === '/') return slashAt(script, at, before)
  for (const [is, form] of tokens) {
    form.lastIndex = at
    const text = form.exec(script)?.[0]
    if (text !== undefined) return { is, text }
  }
  return null
}

/** A slash divides behind a value, and starts a pattern where none can stand. */
function slashAt(script: string, at: number, before: Token | undefined): Token | null {
  if (before && (before.is === 'number' || /^[)\]]$/.test(before.text) || isValue(before)))
    return script[at + 1] === '=' ? null : { is: 'sign', text: '/' }
  if (before && !/^(&&|\|\||!~?|~|[({},;])$/.test(before.text)) return null
  pattern.lastIndex = at
  const text = pattern.exec(script)?.[0]
  return text === undefined ? null : { is: 'pattern', text }
}

const isValue = ({ is, text }: Token): boolean =>
  is === 'name' && !keywords.has(text) && !functions.has(text) && (variables.has(text) || /^[a-z]/.test(text))

function isPlain(token: Token, all: Token[], at: number): boolean {
  const after = all[at + 1]?.text
  if (token.is === 'text') return !writesControls(token.text)
  if (token.is !== 'name') return true
  const { text } = token
  // Two texts beside each other are one format.
  if (text === 'printf') return isFormat(all[at + 1]) && /^([,;}]|undefined)$/.test(`${all[at + 2]?.text}`)
  if (text === 'length') return after !== '/'
  if (functions.has(text)) return after === '('
  if (keywords.has(text) || variables.has(text)) return true
  return /^[a-z]\w*$/.test(text) && !otherNames.has(text) && after !== '('
}

/** `%c` makes any character of a number. */
const isFormat = (token: Token | undefined): boolean =>
  token?.is === 'text' && /^"(?:[^%]|%%|%[-+ ]?\d{0,3}(?:\.\d{1,3})?[sdifeg])*"$/.test(token.text)

/** Brackets are closed, and `>` compares: outside of parentheses it would name a file to print to. */
function nests(all: Token[]): boolean {
  const open: string[] = []
  for (const [at, { is, text }] of all.entries()) {
    if (is !== 'sign') continue
    if ('([{'.includes(text)) open.push(text)
    else if (')]}'.includes(text) && open.pop() !== '([{'[')]}'.indexOf(text)]) return false
    else if (
      text.startsWith('>') &&
      (open.at(-1) === '{' || (open.length === 0 && all[at + 1]?.is === 'text'))
    )
      return false
  }
  return open.length === 0
}
