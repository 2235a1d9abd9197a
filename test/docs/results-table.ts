import { type KeptFinding, figuresFile, readFigures } from '../../bench/figures.ts'
import { figure, targetText, valueText, verdictOf } from '../../bench/report.ts'

const marked = /(<!-- results: [^]*?-->\n)[^]*?(<!-- end of results -->)/

/** A page with the table of results as `bench/figures.json` has it. */
export function withResults(page: string): string {
  if (!marked.test(page)) throw new Error('The page has no marks between which the table of results belongs.')
  const table = resultsTable(readFigures(figuresFile)!.findings)
  return page.replace(marked, (_whole, from: string, to: string) => `${from}\n${table}\n\n${to}`)
}

/** Cases whose figures decide nothing for the people who read the page. */
const leftOut = new Set(['workspace', 'preview'])

/** The figures of cases with a target, each after the name by which `npm run bench` measures it. */
function resultsTable(findings: KeptFinding[]): string {
  const aimed = findings.filter(({ of, target }) => target && !leftOut.has(of ?? ''))
  const names = new Set(findings.map((finding) => finding.case))
  const shown = [...names]
    .filter((name) => aimed.some((finding) => finding.case === name))
    .flatMap((name) => findings.filter((finding) => finding.case === name))
  const rows = withWorstPages(shown)
  return [
    '| `--case` | | Clients | Ours | Bare | Ratio, or range | Target |',
    '|---|---|---|---|---|---|---|',
    ...rows.map((finding, n) => row(finding, rows[n - 1])),
  ].join('\n')
}

/** The pages of the case `list` are many and alike: of each size and number of clients, the one that lost most. */
function withWorstPages(findings: KeptFinding[]): KeptFinding[] {
  const sizeOf = (finding: KeptFinding) => `${finding.case.split(':')[0]!}, ${finding.clients}`
  const pages = findings.filter(({ of }) => of === 'list')
  const worst = [...new Set(pages.map(sizeOf))].map((size) =>
    pages
      .filter((page) => sizeOf(page) === size)
      .reduce((found, page) => (page.ratio! > found.ratio! ? page : found)),
  )
  return findings.filter((finding) => finding.of !== 'list' || worst.includes(finding))
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
