import { type Run, attacks } from '#attack'

const marks = {
  first: '<!-- attacks: made by `npm run docs:attacks` from a run against a real gate -->',
  last: '<!-- end of attacks -->',
}

/** The page with the table of this run between its marks. */
export function withAttacks(page: string, run: Run): string {
  const [before, rest] = page.split(marks.first)
  const [, after] = rest?.split(marks.last) ?? []
  if (before === undefined || after === undefined) throw new Error('the page lacks the marks of the attacks')
  return `${before}${marks.first}\n\n${tableOf(run)}\n\n${marks.last}${after}`
}

const words = { passed: 'held', failed: '**failed**', not_applicable: 'n/a' }

function tableOf(run: Run): string {
  const verdict = (id: string, transport: string) => {
    const result = run.results.find((one) => one.id === id && one.transport === transport)
    return result ? words[result.verdict] : ''
  }
  const rows = attacks.map(({ id, title, requirements }) =>
    [`\`${id}\``, title, requirements.join(', '), verdict(id, 'rest'), verdict(id, 'mcp')].join(' | '),
  )
  return [
    '| Attack | Tries to | Tests | REST | MCP |',
    '|---|---|---|---|---|',
    ...rows.map((row) => `| ${row} |`),
  ].join('\n')
}
