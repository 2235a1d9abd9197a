import type { z } from 'zod'
import { issueWords } from '../text/issue-words.ts'
import type { CliContext } from './context.ts'

/** A wrong command line: exit code 2, with the usage. */
export class UsageError extends Error {
  /** What helps to correct it, shown between the message and the usage. */
  readonly help: string | undefined

  constructor(message: string, help?: string) {
    super(message)
    this.help = help
  }
}

/** One option of a verb: how it is written, what it means, and how its value is parsed. */
export interface Option<Value> {
  /** The name of the value in the usage; absent for a flag. */
  placeholder?: string
  /** What it means, for the help. */
  about: string
  /** A value that is accepted; absent for a flag. */
  example?: string
  isRequired: boolean
  isRepeatable: boolean
  /** @throws UsageError on a malformed value */
  read(name: string, texts: string[] | undefined): Value
}

export type Options = Record<string, Option<unknown>>
export type Values<O extends Options> = {
  [Name in keyof O]: O[Name] extends Option<infer Value> ? Value : never
}

/** ` --account ACCOUNT` as it was given, or nothing: what prints a command to paste repeats it after the verb. */
export type GivenAccount = '' | ` --account ${string}`

/** Everything about a verb. Parsing, usage and printing all read it. */
export interface Verb<O extends Options = Options> {
  summary: string
  options: O
  /** The option that is given as a plain argument, without `--name`. */
  word?: keyof O & string
  /** Groups of options of which exactly one must be given. */
  exactlyOne?: (keyof O & string)[][]
  /** Options of the example in the help beside those that are needed. */
  shown?: (keyof O & string)[]
  /** @returns what `--json` prints; undefined if the verb has already written its answer */
  run(context: CliContext, values: Values<O>): Promise<unknown>
  /** The answer for people is printed also if it means exit 1. */
  isReport?: boolean
  /** The columns of the table for people; absent: every column. */
  columns?: string[]
  /** What people read instead of an empty table. */
  empty?(account: GivenAccount): string
  /** The answer for people; without it a list prints as a table and an object as its fields. */
  text?(answer: never, account: GivenAccount): string
  /** Why the answer means exit code 1; null if it does not. */
  refusal?(answer: never): string | null
}

export function defineVerb<O extends Options>(verb: Verb<O>): Verb {
  return verb as unknown as Verb
}

export function required<T>(
  placeholder: string,
  schema: z.ZodType<T>,
  about: string,
  example: string,
): Option<T> {
  return {
    placeholder,
    about,
    example,
    isRequired: true,
    isRepeatable: false,
    read(name, texts) {
      if (!texts) throw new UsageError(`--${name} is required`)
      return one(name, texts, schema)
    },
  }
}

export function optional<T>(
  placeholder: string,
  schema: z.ZodType<T>,
  about: string,
  example: string,
): Option<T | undefined> {
  return {
    placeholder,
    about,
    example,
    isRequired: false,
    isRepeatable: false,
    read: (name, texts) => (texts ? one(name, texts, schema) : undefined),
  }
}

export function repeatable<T>(
  placeholder: string,
  schema: z.ZodType<T>,
  about: string,
  example: string,
): Option<T[]> {
  return {
    placeholder,
    about,
    example,
    isRequired: false,
    isRepeatable: true,
    read: (name, texts = []) => texts.map((text) => parse(name, text, schema)),
  }
}

export function flag(about: string): Option<boolean> {
  return { about, isRequired: false, isRepeatable: false, read: (_, texts) => texts !== undefined }
}

function one<T>(name: string, texts: string[], schema: z.ZodType<T>): T {
  if (texts.length > 1) throw new UsageError(`--${name} is given more than once`)
  return parse(name, texts[0]!, schema)
}

function parse<T>(name: string, text: string, schema: z.ZodType<T>): T {
  const parsed = schema.safeParse(text, { reportInput: true })
  if (parsed.success) return parsed.data
  throw new UsageError(`--${name} ${issueWords(parsed.error.issues[0]!)}`)
}
