import type { Option, Verb } from './verb.ts'

/** The verbs of a noun, by name; a noun without verbs has one verb with an empty name. */
export type Verbs = Record<string, Verb>
export type Nouns = Record<string, () => Promise<Verbs>>

const program = 'gate'

/** All verbs, one per line. */
export async function usageOfAll(nouns: Nouns): Promise<string> {
  const lines: [string, string][] = []
  for (const [noun, load] of Object.entries(nouns)) lines.push(...verbLines(noun, await load()))
  return [
    `Usage: ${program} <noun> <verb> [options] [--json]`,
    '',
    ...aligned(lines),
    '',
    `Every verb takes --json (one JSON value on stdout) and --help.`,
    `Commands connect to DATABASE_URL, or to the service that is running on DATA_DIR.`,
  ].join('\n')
}

export function usageOfNoun(noun: string, verbs: Verbs): string {
  return [`Usage: ${program} ${noun} <verb> [options] [--json]`, '', ...aligned(verbLines(noun, verbs))].join(
    '\n',
  )
}

export function usageOfVerb(name: string, verb: Verb): string {
  const alternatives = (verb.exactlyOne ?? []).map((group) => new Set(group))
  const words: string[] = []
  for (const [option, spec] of Object.entries(verb.options)) {
    const group = alternatives.find((names) => names.has(option))
    if (option === verb.word) words.push(spec.placeholder!)
    else if (!group) words.push(written(option, spec))
    else if ([...group][0] === option)
      words.push(`(${[...group].map((n) => bare(n, verb.options[n]!)).join(' | ')})`)
  }
  return [`Usage: ${[program, name, ...words, '[--json]'].join(' ')}`, '', verb.summary].join('\n')
}

function verbLines(noun: string, verbs: Verbs): [string, string][] {
  return Object.entries(verbs).map(([verb, { summary }]) => [`${noun} ${verb}`.trim(), summary])
}

function aligned(lines: [string, string][]): string[] {
  const width = Math.max(...lines.map(([name]) => name.length))
  return lines.map(([name, summary]) => `  ${name.padEnd(width)}  ${summary}`)
}

function written(name: string, option: Option<unknown>): string {
  const text = bare(name, option)
  if (option.isRepeatable) return `[${text}]…`
  return option.isRequired ? text : `[${text}]`
}

const bare = (name: string, { placeholder }: Option<unknown>) =>
  placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`
