/** Finds out about places of a shell's text, asked in ascending order. */
export interface ShellText {
  /** Whether a place is in a header or a JSON text in quotes, where white space separates no words. */
  isInQuotedData: (at: number) => boolean
  /** Whether a variable is read anywhere in the text. */
  reads: (variable: string) => boolean
}

/** Reads a shell's text only as far as it is asked about it. Linear. Pure. */
export function shellText(text: string): ShellText {
  let quotes: Quote[] | undefined
  let variables: Set<string> | undefined
  let next = 0
  return {
    isInQuotedData(at) {
      quotes ??= quotesOf(text)
      while (next < quotes.length && quotes[next]!.to < at) next++
      const quote = quotes[next]
      return quote !== undefined && quote.from < at && isData(text, quote.from + 1, at)
    },
    reads: (variable) => (variables ??= variablesOf(text)).has(variable),
  }
}

const variablesOf = (text: string): Set<string> =>
  new Set([...text.matchAll(/\$(?:env:|[{!#^=~]{0,4})(\w+)/gi)].map(([, name]) => name!))

interface Quote {
  from: number
  to: number
}

/** Quoted texts, up to where quotes may mean something else: comments, here-documents, commands in commands. */
function quotesOf(text: string): Quote[] {
  const quotes: Quote[] = []
  for (let at = 0; at < text.length; at++) {
    const sign = text[at]
    if (sign === '\\') at++
    else if (sign === '#' || sign === '`' || text.startsWith('<<', at) || text.startsWith("$'", at)) break
    else if (sign === "'" || sign === '"') {
      const to = sign === "'" ? text.indexOf("'", at + 1) : endOfDoubleQuote(text, at + 1)
      if (to === -1) break
      quotes.push({ from: at, to })
      at = to
    }
  }
  return quotes
}

function endOfDoubleQuote(text: string, from: number): number {
  for (let at = from; at < text.length; at++)
    if (text[at] === '"') return at
    else if (text[at] === '\\') at++
    else if (text[at] === '`' || text.startsWith('$(', at)) return -1
  return -1
}

/** The text of `bash -c "…"` is quoted too: only one that starts as a header or as JSON is no command. */
const isData = (text: string, from: number, at: number): boolean =>
  (at - from < 150 && /^(?:[\w-]{1,64}:\s?)?[\w-]{0,64}$/.test(text.slice(from, at))) ||
  /^\s{0,9}\[?\s{0,9}\{\s{0,9}["']/.test(text.slice(from, from + 40))

/**
 * Whether a text has letters and digits mixed as in a key or a hash, and not as in the names that people give. Every second
 * or third character of a random text begins a run of another sort; in names it is every fifth or later.
 */
export function looksRandom(text: string): boolean {
  const plain = text.replace(/[^0-9A-Za-z]+/g, '')
  const changes = plain.match(/\d(?=[A-Za-z])|[A-Za-z](?=\d)|[a-z](?=[A-Z])/g)?.length ?? 0
  return plain.length >= 16 && /\d/.test(plain) && changes * 4 >= plain.length
}
