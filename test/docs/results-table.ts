import { type KeptFinding, figuresFile, readFigures } from '../../bench/figures.ts'
import { figure, targetText, valueText, verdictOf } from '../../bench/report.ts'

const marked = /(<!-- results: [^]*?-->\n)[^]*?(<!-- end of results -->)/

/** A page with the table of results as `bench/figures.json` has it. */
export function withResults(page: string): string {
  if (!marked.test(page)) throw new Error('The page has no marks between which the table of results belongs.')
  const table = resultsTable(readFigures(figuresFile)!.findings)
  return page.replace(marked, (_whole, from: string, to: string) => `${from}\n${table}\n\n${to}`)
}

function resultsTable(findings: KeptFinding[]): string {
  const names = [...new Set(findings.map((finding) => finding.case))]
  const rows = names.flatMap((name) => {
    const same = findings.filter((finding) => finding.case === name)
    return same.map((finding, n) => row(finding, n === 0))
  })
  return [
    '| Case | Clients | Ours | Bare | Ratio | Range | Target | |',
    '|---|---|---|---|---|---|---|---|',
    ...rows,
  ].join('\n')
}

function row(finding: KeptFinding, isFirst: boolean): string {
  const { case: name, clients, unit, ours, bare, ratio, range, machine } = finding
  const [kind] = unit.split(' ')
  const cells = [
    isFirst ? name.replace(/^ +/, '— ') : '',
    String(clients),
    `${withCommas(figure(ours))} ${kind}`,
    bare === null ? '' : `${withCommas(figure(bare))} ${kind}`,
    ratio === null ? '' : ratio.toFixed(2),
    range ? `${valueText(finding, range.low)}–${valueText(finding, range.high)}` : '',
    targetText({ ...finding, unit: kind! }),
    [verdictOf(finding).replace('missed', '**missed**'), ...(machine ? [`on ${machine}`] : [])].join(' '),
  ]
  return `| ${cells.join(' | ')} |`
}

const withCommas = (text: string): string => text.replace(/^(\d+)(\d{3})$/, '$1,$2')
