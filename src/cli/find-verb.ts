import { apiVersion, mcpVersion, productVersion } from '../process/version.ts'
import { nearest } from './nearest.ts'
import {
  type Nouns,
  type Verbs,
  helpOfNoun,
  helpOfVerb,
  shortUsage,
  usageOfAll,
  usageOfNoun,
} from './usage.ts'
import type { Verb } from './verb.ts'

/** A verb to run with its arguments, help to print, or a wrong command line to explain. */
export type Command =
  | { name: string; verb: Verb; args: string[] }
  | { help: string }
  | { problem: string | null; usage: string }

const versionsText = `gate ${productVersion} (REST API ${apiVersion}, MCP ${mcpVersion})`

const asksForHelp = (word: string): boolean => ['help', '--help', '-h'].includes(word)

/** Finds the verb that the arguments name; an unknown noun or verb is answered with the nearest known one. */
export async function findVerb(nouns: Nouns, [noun = '', ...rest]: string[]): Promise<Command> {
  if (noun === '') return { problem: null, usage: await usageOfAll(nouns) }
  if (noun === '--version' || noun === 'version') return { help: versionsText }
  if (asksForHelp(noun)) return helpFor(nouns, rest)
  if (!Object.hasOwn(nouns, noun)) return unknownNoun(nouns, noun, rest)
  const verbs = await nouns[noun]!()
  if (verbs['']) return { name: noun, verb: verbs[''], args: rest }
  const [verb = '', ...args] = rest
  if (asksForHelp(verb)) return helpFor(nouns, [noun, ...args])
  if (!Object.hasOwn(verbs, verb)) return unknownVerb(noun, verb, verbs)
  return { name: `${noun} ${verb}`, verb: verbs[verb]!, args }
}

async function helpFor(nouns: Nouns, [noun, verb]: string[]): Promise<Command> {
  if (noun === undefined) return { help: await usageOfAll(nouns) }
  if (!Object.hasOwn(nouns, noun)) return unknownNoun(nouns, noun, [])
  const verbs = await nouns[noun]!()
  if (verb === undefined || verbs['']) return { help: helpOfNoun(noun, verbs) }
  if (!Object.hasOwn(verbs, verb)) return unknownVerb(noun, verb, verbs)
  return { help: helpOfVerb(`${noun} ${verb}`, verbs[verb]!) }
}

async function unknownNoun(nouns: Nouns, given: string, rest: string[]): Promise<Command> {
  const suggestion = (await swapped(nouns, given, rest[0])) ?? nearest(given, Object.keys(nouns))
  return { problem: unknown(given, suggestion), usage: shortUsage(nouns) }
}

/** `add member` for `member add`. */
async function swapped(nouns: Nouns, verb: string, noun = ''): Promise<string | undefined> {
  if (!Object.hasOwn(nouns, noun)) return undefined
  return Object.hasOwn(await nouns[noun]!(), verb) ? `${noun} ${verb}` : undefined
}

function unknownVerb(noun: string, given: string, verbs: Verbs): Command {
  const usage = usageOfNoun(noun, verbs)
  if (given === '') return { problem: null, usage }
  const suggestion = nearest(given, Object.keys(verbs))
  return { problem: unknown(`${noun} ${given}`, suggestion && `${noun} ${suggestion}`), usage }
}

function unknown(given: string, suggestion: string | undefined): string {
  const hint = suggestion === undefined ? '' : ` Did you mean "${suggestion}"?`
  return `Unknown command "${given}".${hint}`
}
