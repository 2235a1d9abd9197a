import { CsvError, parse } from 'csv-parse/sync'
import type { z } from 'zod'
import { limits } from '../../limits.ts'
import { issueWords } from '../../text/issue-words.ts'
import { email, line, slackId, teamsId } from '../entered-fields.ts'
import { bareCell, csvRow } from '../csv.ts'

/** A member as a line of a file gives it. */
export interface CsvMember {
  line: number
  name: string
  email: string | null
  slack: string | null
  teams: string | null
}

/** What is wrong with a line; null: with the file as a whole. */
export interface LineProblem {
  line: number | null
  problem: string
}

const columns = ['name', 'email', 'slack', 'teams'] as const
type Column = (typeof columns)[number]

/**
 * Reads members from CSV with the header `name,email,slack,teams`: columns in any order, separated by commas, semicolons or
 * tabs. Pure.
 * @returns the valid lines, and a problem for every other one
 */
export function parseMembersCsv(text: string): { members: CsvMember[]; problems: LineProblem[] } {
  const ofFile = (problem: string) => ({ members: [], problems: [{ line: null, problem }] })
  const plain = text.replace(/^\uFEFF/, '')
  if (Buffer.byteLength(plain) > limits.membersImportBytesMax)
    return ofFile(`The file is larger than ${limits.membersImportBytesMax / 1_024} KiB. Split it.`)
  if (plain.includes('\uFFFD')) return ofFile('The file is not UTF-8 text. Save it as “CSV UTF-8”.')
  const read = recordsOf(plain)
  if (!Array.isArray(read)) return { members: [], problems: [read] }
  const [header, ...records] = read
  if (!header) return ofFile('The file is empty. Its first line must be: name,email,slack,teams')
  const names = header.record.map((cell) => cell.trim().toLowerCase())
  const wrong = headerProblem(names)
  if (wrong !== null) return { members: [], problems: [{ line: header.line, problem: wrong }] }
  if (records.length > limits.membersImportMax)
    return ofFile(
      `The file has more than ${limits.membersImportMax.toLocaleString('en')} members. Split it into smaller files.`,
    )
  return readLines(names as Column[], records)
}

interface CsvRecord {
  line: number
  record: string[]
}

/** The lines of a file with their numbers, or why it is not CSV. */
function recordsOf(text: string): CsvRecord[] | LineProblem {
  const [first = ''] = text.split(/\r?\n|\r/, 1)
  try {
    const read = parse(text, {
      delimiter: [',', ';', '\t'].find((one) => first.includes(one)) ?? ',',
      record_delimiter: ['\r\n', '\n', '\r'],
      trim: true,
      relax_column_count: true,
      skip_empty_lines: true,
      skip_records_with_empty_values: true,
      info: true,
      // One more than the header and the most members: it tells that there are too many.
      to: limits.membersImportMax + 2,
    }) as unknown as { info: { lines: number }; record: string[] }[]
    return read.map(({ info, record }) => ({ line: info.lines, record }))
  } catch (error) {
    if (!(error instanceof CsvError)) throw error
    const at = (error as unknown as { lines?: number }).lines ?? null
    return { line: at, problem: csvProblems[error.code] ?? 'This is not valid CSV.' }
  }
}

const csvProblems: Record<string, string> = {
  CSV_QUOTE_NOT_CLOSED: 'A quoted value is not closed: a " is missing.',
  INVALID_OPENING_QUOTE:
    'A " stands inside a value that does not begin with one. Put the value in quotes, and write "" for each ".',
  CSV_INVALID_CLOSING_QUOTE:
    'Something follows the closing " of a value. Write "" for each " inside a value.',
}

function headerProblem(names: string[]): string | null {
  const unknown = names.find((name) => !columns.includes(name as Column))
  if (unknown !== undefined)
    return `The column ${JSON.stringify(unknown.slice(0, limits.slugCharsMax))} is unknown. The first line must name the columns name, email, slack and teams.`
  if (new Set(names).size < names.length) return 'A column is named twice in the first line.'
  if (!names.includes('name')) return 'The first line must name the column name.'
  return names.length === 1 ? 'The first line must name the column email, slack or teams.' : null
}

function readLines(names: Column[], records: CsvRecord[]): { members: CsvMember[]; problems: LineProblem[] } {
  const members: CsvMember[] = []
  const problems: LineProblem[] = []
  const seen = new Map<string, number>()
  for (const { line: at, record } of records) {
    const read = readLine(names, at, record)
    const problem = typeof read === 'string' ? read : repeated(read, seen)
    if (typeof read === 'string' || problem !== null) problems.push({ line: at, problem: problem! })
    else members.push(read)
  }
  return { members, problems }
}

const schemas = { name: line(limits.nameCharsMax), email, slack: slackId, teams: teamsId }

function readLine(names: Column[], at: number, record: string[]): CsvMember | string {
  if (record.length !== names.length)
    return `It has ${record.length} ${record.length === 1 ? 'value' : 'values'}, but the first line names ${names.length} columns.`
  const cells = Object.fromEntries(names.map((name, i) => [name, bareCell(record[i]!)])) as Partial<
    Record<Column, string>
  >
  const wrong = names
    .filter((name) => name === 'name' || cells[name] !== '')
    .flatMap((name) => problemOf(name, schemas[name], cells[name]!))
  if (wrong.length > 0) return `${wrong.join('; ')}.`
  return {
    line: at,
    name: cells.name!,
    email: cells.email || null,
    slack: cells.slack || null,
    teams: cells.teams?.toLowerCase() || null,
  }
}

function problemOf(column: Column, schema: z.ZodType, cell: string): string[] {
  const parsed = schema.safeParse(cell, { reportInput: true })
  return parsed.success ? [] : [`${column} ${issueWords(parsed.error.issues[0]!)}`]
}

/** Why a member cannot stand in the file again. Case does not matter in an address. */
function repeated(
  { line: at, name, email: address, slack, teams }: CsvMember,
  seen: Map<string, number>,
): string | null {
  const keys: Record<string, string> = {
    ...(address !== null && { [`email ${address.toLowerCase()}`]: 'the same e-mail' }),
    ...(slack !== null && { [`slack ${slack}`]: 'the same Slack user ID' }),
    ...(teams !== null && { [`teams ${teams}`]: 'the same Teams object ID' }),
    ...(address === null &&
      slack === null &&
      teams === null && { [`name ${name}`]: 'the same name and no identity either' }),
  }
  for (const [key, words] of Object.entries(keys)) {
    const before = seen.get(key)
    if (before !== undefined) return `Line ${before} has ${words}.`
  }
  for (const key of Object.keys(keys)) seen.set(key, at)
  return null
}

/** The first line of an export. */
export const csvHeader = csvRow(columns)

/** A line of an export, which an import reads as the same member. Pure. */
export const csvLine = (member: Record<Column, string | null>): string =>
  csvRow(columns.map((column) => member[column] ?? ''))
