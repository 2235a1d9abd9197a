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

/** A line for each subject: its attacks, and how many of them held. */
function tableOf(run: Run): string {
  const subjectOf = ({ id }: { id: string }) => id.split('-')[0]!
  const rows = [...new Set(attacks.map(subjectOf))].map((subject) => {
    const names = attacks.filter((attack) => subjectOf(attack) === subject).map(({ id }) => `\`${id}\``)
    const results = run.results.filter((result) => subjectOf(result) === subject)
    const cells = ['rest', 'mcp'].map((transport) =>
      verdicts(results.filter((result) => result.transport === transport)),
    )
    return `| ${subject} | ${names.join(', ')} | ${cells.join(' | ')} |`
  })
  return ['| About | Attacks | REST | MCP |', '|---|---|---|---|', ...rows].join('\n')
}

function verdicts(results: Run['results']): string {
  const held = results.filter(({ verdict }) => verdict === 'passed').length
  const missing = results.filter(({ verdict }) => verdict === 'not_applicable').map(({ id }) => id)
  const failed = results.filter(({ verdict }) => verdict === 'failed').map(({ id }) => id)
  return [
    `${held} held`,
    ...missing.map((id) => `n/a: \`${id}\``),
    ...failed.map((id) => `**failed**: \`${id}\``),
  ].join(', ')
}
