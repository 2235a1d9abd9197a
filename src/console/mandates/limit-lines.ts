import type { ArgumentLimit } from '../../gate/mandates/terms.ts'

// What a mandate allows each argument to be, as lines of text: `customer = cus_1`, `message ~ Order {number} has shipped`, `payment *`.

/** Reads such lines; several values of one argument are several lines. Empty lines do not count. Pure. */
export function parseLimits(text: string): { limits: Record<string, ArgumentLimit> } | { problem: string } {
  const read = new Map<string, ArgumentLimit>()
  for (const line of text.split(/\r?\n/).filter((one) => one.trim() !== '')) {
    const [, name, sign, rest] = /^\s*([^\s=~*]{1,100})\s*([=~*]) ?(.*)$/su.exec(line) ?? []
    if (name === undefined || (sign === '*') !== (rest === ''))
      return { problem: `${cannot} “${line.slice(0, 60)}”` }
    const before = read.get(name)
    if (sign === '=' && before && 'in' in before) before.in.push(rest!)
    else if (before) return { problem: `names ${name} in two lines` }
    else read.set(name, sign === '=' ? { in: [rest!] } : sign === '~' ? { template: rest! } : { any: 'id' })
  }
  return { limits: Object.fromEntries(read) }
}

const cannot =
  'has a line that cannot be read. Write “name = value”, “name ~ template” or “name *”, each on a line:'

/** The lines of limits. Pure. */
export const limitText = (limits: Record<string, ArgumentLimit>): string =>
  Object.entries(limits)
    .flatMap(([name, limit]) =>
      'in' in limit
        ? limit.in.map((value) => `${name} = ${value}`)
        : ['template' in limit ? `${name} ~ ${limit.template}` : `${name} *`],
    )
    .join('\n')
