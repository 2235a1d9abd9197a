/** Parses a bracket expression. @returns with `end` at the closing bracket; undefined if there is none */
export function charClass(
  pattern: string,
  from: number,
): { accepts(char: string): boolean; end: number } | undefined {
  const isNegated = pattern[from] === '!' || pattern[from] === '^'
  const first = isNegated ? from + 1 : from
  const ranges: [string, string][] = []
  const named: RegExp[] = []
  for (let i = first; i < pattern.length; i++) {
    // A closing bracket in the first position is one of the characters.
    if (pattern[i] === ']' && i > first) {
      const accepts = (char: string) =>
        (ranges.some(([low, high]) => low <= char && char <= high) || named.some((one) => one.test(char))) !==
        isNegated
      return { accepts, end: i }
    }
    const name = /^\[:([a-z]*):\]/.exec(pattern.slice(i, i + 12))?.[1]
    if (name !== undefined) {
      if (!Object.hasOwn(posixClasses, name)) return undefined
      named.push(posixClasses[name]!)
      i += name.length + 3
      continue
    }
    const low = pattern[i] === '\\' ? pattern[++i] : pattern[i]
    if (low === undefined) return undefined
    if (pattern[i + 1] !== '-' || pattern[i + 2] === undefined || pattern[i + 2] === ']') {
      ranges.push([low, low])
      continue
    }
    i += 2
    const high = pattern[i] === '\\' ? pattern[++i] : pattern[i]
    if (high === undefined) return undefined
    ranges.push([low, high])
  }
  return undefined
}

// The C locale, which git uses.
const posixClasses: Record<string, RegExp> = {
  alnum: /[0-9A-Za-z]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  // eslint-disable-next-line no-control-regex
  cntrl: /[\u0000-\u001f\u007f]/,
  digit: /[0-9]/,
  graph: /[!-~]/,
  lower: /[a-z]/,
  print: /[ -~]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[\t-\r ]/,
  upper: /[A-Z]/,
  xdigit: /[0-9A-Fa-f]/,
}
