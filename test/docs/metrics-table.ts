import { type MetricOfTable, metricTable } from '../../src/telemetry/table.ts'

const marked = /(<!-- metrics: [^]*?-->\n)[^]*?(<!-- end of metrics -->)/

/** A page with its table of metrics as `src/telemetry/table.ts` has it. */
export function withMetrics(page: string): string {
  if (!marked.test(page)) throw new Error('The page has no marks between which the table of metrics belongs.')
  return page.replace(marked, (_whole, from: string, to: string) => `${from}\n${table()}\n\n${to}`)
}

function table(): string {
  const rows = Object.entries(metricTable as Record<string, MetricOfTable>).map(([name, metric]) => {
    const labels = Object.entries(metric.labels ?? {}).map(([label, is]) => `\`${label}\`: ${is}`)
    const help = metric.isOfDatabase ? `${metric.help} Of the whole database.` : metric.help
    return `| \`${name}\` | ${metric.type} | ${help} | ${labels.join('; ')} |`
  })
  return ['| Metric | Type | Is | Labels |', '|---|---|---|---|', ...rows].join('\n')
}
