const previewScriptCharsMax = 1_000

/** A script of package.json that is a single command. */
export interface Script {
  variables: Record<string, string>
  program: string
  args: string[]
}

/**
 * Parses `NAME=value program arguments…`, with simple quotes; a leading `cross-env` or `npx` is skipped.
 * @returns undefined if it needs a shell, or has no program
 */
export function parseScript(text: string): Script | undefined {
  if (text.length > previewScriptCharsMax || shellSyntax.test(text) || text.includes('\0')) return undefined
  const words = [...text.matchAll(word)].map(([all]) => all.replaceAll(/["']/g, ''))
  const variables: Record<string, string> = {}
  for (;;) {
    const first = words.shift()
    const assigned = /^([A-Za-z_]\w*)=(.*)$/.exec(first ?? '')
    if (assigned?.[1] !== undefined) variables[assigned[1]] = assigned[2] ?? ''
    else if (first === undefined || first === '') return undefined
    else if (!seenThrough.has(first)) return { variables, program: first, args: words }
  }
}

const seenThrough = new Set(['cross-env', 'npx', 'exec'])
const word = /(?:"[^"]*"|'[^']*'|[^\s"'])+/g

// More than one command, redirections, substitutions, escapes and patterns.
const shellSyntax = /[&|;<>$`\\*?()[\]{}~!#\n]/
