import { aligned } from './print.ts'
import type { Option, Verb } from './verb.ts'

/** The verbs of a noun, by name; a noun without verbs has one verb with an empty name. */
export type Verbs = Record<string, Verb>
export type Nouns = Record<string, () => Promise<Verbs>>

const program = 'gate'

/** All verbs, one per line. */
export async function usageOfAll(nouns: Nouns): Promise<string> {
  const lines: string[][] = []
  for (const [noun, load] of Object.entries(nouns)) lines.push(...verbLines(noun, await load()))
  return [
    `Usage: ${program} <noun> <verb> [options]`,
    '',
    aligned(lines),
    '',
    `${program} --version prints the versions of the product, the REST API and MCP.`,
    `${program} help <noun> describes every option. Every verb also takes --json (one JSON value on stdout) and --help.`,
    'Without --account a verb uses GATE_ACCOUNT, or the only account there is.',
    'Commands connect to DATABASE_URL, or to the service that is running on DATA_DIR.',
    'On another machine: gate --url URL --key-file FILE <noun> <verb>, or with the variable GATE_KEY. See docs/admin-api.md.',
  ].join('\n')
}

/** The nouns alone. */
export const shortUsage = (nouns: Nouns): string =>
  [
    `Usage: ${program} <noun> <verb> [options]`,
    `Nouns: ${Object.keys(nouns).join(', ')}`,
    `${program} help lists all verbs.`,
  ].join('\n')

/** The verbs of a noun, one per line. */
export function usageOfNoun(noun: string, verbs: Verbs): string {
  return [
    `Usage: ${program} ${noun} <verb> [options]`,
    '',
    aligned(verbLines(noun, verbs)),
    '',
    `${program} help ${noun} describes every option.`,
  ].join('\n')
}

/** The help of every verb of a noun. */
export function helpOfNoun(noun: string, verbs: Verbs): string {
  if (verbs['']) return helpOfVerb(noun, verbs[''])
  const helps = Object.entries(verbs).map(([name, verb]) => helpOfVerb(`${noun} ${name}`, verb))
  return [usageOfNoun(noun, verbs).split('\n').slice(0, -2).join('\n'), ...helps].join('\n\n')
}

/** One line: how a verb is called. */
export function usageOfVerb(name: string, verb: Verb): string {
  const alternatives = (verb.exactlyOne ?? []).map((group) => new Set(group))
  const words: string[] = []
  for (const [option, spec] of Object.entries(verb.options)) {
    const group = alternatives.find((names) => names.has(option))
    if (option === verb.word) words.push(spec.isRequired ? spec.placeholder! : `[${spec.placeholder!}]`)
    else if (!group) words.push(written(option, spec))
    else if ([...group][0] === option)
      words.push(`(${[...group].map((n) => bare(n, verb.options[n]!)).join(' | ')})`)
  }
  return `Usage: ${[program, name, ...words, '[--json]'].join(' ')}`
}

/** Usage, summary, every option with an example of its value, and an example of the whole command. */
export function helpOfVerb(name: string, verb: Verb): string {
  const options = Object.entries(verb.options).map(([option, spec]) => [
    `  ${option === verb.word ? spec.placeholder! : bare(option, spec)}`,
    described(spec),
  ])
  const always = [
    ['  --json', 'Print one JSON value'],
    ['  --help', 'Show this help'],
  ]
  return [
    usageOfVerb(name, verb),
    '',
    `${verb.summary}.`,
    '',
    'Options:',
    aligned([...options, ...always]),
    '',
    'Example:',
    `  ${[program, name, ...exampleOf(verb).map(quoted)].join(' ')}`,
  ].join('\n')
}

/** The arguments of an example: what is needed, the first of each choice, and what the verb shows beside. */
export function exampleOf(verb: Verb): string[] {
  const first = (verb.exactlyOne ?? []).map(([option]) => option)
  const isShown = (name: string) =>
    verb.options[name]!.isRequired || first.includes(name) || (verb.shown ?? []).includes(name)
  return Object.entries(verb.options)
    .filter(([name]) => isShown(name) && name !== 'account')
    .flatMap(([name, { example }]) => {
      if (example === undefined) return [`--${name}`]
      return name === verb.word ? [example] : [`--${name}`, example]
    })
}

function described({ about, example, isRepeatable, placeholder }: Option<unknown>): string {
  const isSaid = example === undefined || placeholder?.includes(example)
  return [
    about,
    ...(isRepeatable ? ['Can be given several times'] : []),
    ...(isSaid ? [] : [`Example: ${quoted(example)}`]),
  ].join('. ')
}

const quoted = (text: string): string => (/^[\w@.,:=/+-]+$/.test(text) ? text : `"${text}"`)

function verbLines(noun: string, verbs: Verbs): string[][] {
  return Object.entries(verbs).map(([verb, { summary }]) => [`  ${`${noun} ${verb}`.trim()}`, summary])
}

function written(name: string, option: Option<unknown>): string {
  const text = bare(name, option)
  if (option.isRepeatable) return `[${text}]…`
  return option.isRequired ? text : `[${text}]`
}

const bare = (name: string, { placeholder }: Option<unknown>) =>
  placeholder === undefined ? `--${name}` : `--${name} ${placeholder}`
