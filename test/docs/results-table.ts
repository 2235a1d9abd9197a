import { type KeptFinding, figuresFile, readFigures } from '../../bench/figures.ts'
import { figure, targetText, valueText, verdictOf } from '../../bench/report.ts'

const marked = /(<!-- results: [^]*?-->\n)[^]*?(<!-- end of results -->)/

/** A page with the table of results as `bench/figures.json` has it. */
export function withResults(page: string): string {
  if (!marked.test(page)) throw new Error('The page has no marks between which the table of results belongs.')
  const table = resultsTable(readFigures(figuresFile)!.findings)
  return page.replace(marked, (_whole, from: string, to: string) => `${from}\n${table}\n\n${to}`)
}

/** The figures of cases with a target, each after the name by which `npm run bench` measures it. */
function resultsTable(findings: KeptFinding[]): string {
  const named = [...new Set(findings.map((finding) => finding.case))].map((name) =>
    findings.filter((finding) => finding.case === name),
  )
  const rows = named.filter((same) => same.some(({ target }) => target)).flat()
  return [
    '| `--case` | | Clients | Ours | Bare | Ratio, or range | Target |',
    '|---|---|---|---|---|---|---|',
    ...rows.map((finding, n) => row(finding, rows[n - 1])),
  ].join('\n')
}

function row(finding: KeptFinding, above: KeptFinding | undefined): string {
  const { case: name, of, clients, unit, ours, bare, ratio, range, machine } = finding
  const [kind] = unit.split(' ')
  const between = range ? `${valueText(finding, range.low)}–${valueText(finding, range.high)}` : ''
  const cells = [
    !above || of !== above.of ? (of ? `\`${of}\`` : 'all') : '',
    name === above?.case ? '' : name.replace(/^ +/, '— '),
    String(clients),
    `${withCommas(figure(ours))} ${kind}`,
    bare === null ? '' : `${withCommas(figure(bare))} ${kind}`,
    ratio === null ? between : `${ratio.toFixed(2)} (${between})`,
    [
      targetText({ ...finding, unit: kind! }),
      verdictOf(finding).replace('missed', '**missed**'),
      ...(machine ? [`on ${machine}`] : []),
    ]
      .filter((text) => text !== '')
      .join(' '),
  ]
  return `| ${cells.join(' | ')} |`
}

const withCommas = (text: string): string => text.replace(/^(\d+)(\d{3})$/, '$1,$2')
