/** How a file that a call runs begins, as the hook has read it. */
export interface FileStart {
  path: string
  /** Secrets masked. */
  text: string
  /** `whole`: this is all of it. `scripts`: those of a manifest that run. */
  shows: 'whole' | 'start' | 'scripts'
  /** The lines, from 1, that are not in what was approved last; absent: nothing is known of that. */
  newLines?: number[]
}

/** What a row keeps of a tool call: its input, and how the files begin that it runs. */
export interface KeptInput {
  input: Record<string, unknown>
  starts: FileStart[]
}

/** The input is an object: with files it is the first of a list. Pure. */
export function readKeptInput(kept: string): KeptInput {
  const read = JSON.parse(kept) as Record<string, unknown> | [Record<string, unknown>, FileStart[]]
  if (!Array.isArray(read)) return { input: read, starts: [] }
  const [input, starts] = read
  return { input, starts }
}

/**
 * What a row keeps, as JSON. The last files are left out where it would be too long. Pure.
 * @param input  as JSON
 */
export function keepInput(input: string, starts: FileStart[], charsMax: number): string {
  for (let kept = starts.length; kept > 0; kept--) {
    const text = `[${input},${JSON.stringify(starts.slice(0, kept))}]`
    if (text.length <= charsMax) return text
  }
  return input
}
