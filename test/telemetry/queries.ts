import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parser } from '@prometheus-io/lezer-promql'
import { parse } from 'yaml'
import { projectRoot } from '../../src/process/root.ts'

export interface Query {
  /** The alert, or the panel and the number of its query. */
  name: string
  of: 'board' | 'alert'
  /** With an interval where Grafana puts one. */
  text: string
  /** Labels that the legend or the summary of an alert shows. */
  shown: string[]
}

const read = (...path: string[]) => readFileSync(join(projectRoot, 'deploy', ...path), 'utf8')
const labelsIn = (text: string) =>
  [...text.matchAll(/\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}/g)].map((one) => one[1]!)

export const board = () => JSON.parse(read('grafana', 'qualification-gate.json'))

export const alerts = (): { alert: string; expr: string; annotations: { summary: string } }[] =>
  parse(read('prometheus', 'alerts.yaml')).groups.flatMap((group: any) => group.rules)

/** Every query of the board and of the alerts. */
export function queries(): Query[] {
  const ofBoard = board().panels.flatMap(({ title, targets = [] }: any) =>
    targets.map(({ expr, legendFormat }: any, n: number) => ({
      name: `${title} ${n + 1}`,
      of: 'board',
      text: expr.replaceAll('$__rate_interval', '5m'),
      shown: labelsIn(legendFormat),
    })),
  )
  const ofAlerts = alerts().map(({ alert, expr, annotations }) => ({
    name: alert,
    of: 'alert',
    text: expr,
    shown: labelsIn(annotations.summary),
  }))
  return [...ofBoard, ...ofAlerts]
}

export interface Selector {
  metric: string
  labels: { name: string; values: string[] }[]
}

/** What a query reads, and the labels that it keeps. @throws Error where it is no PromQL */
export function partsOf(query: string): { selectors: Selector[]; kept: string[] } {
  const selectors: Selector[] = []
  const kept: string[] = []
  parser.parse(query).iterate({
    enter(node) {
      const text = query.slice(node.from, node.to)
      if (node.type.isError) throw new Error(`no PromQL at ${node.from}: ${query}`)
      if (node.name === 'VectorSelector') {
        const matchers = [...text.matchAll(/(\w+)\s*[!=]=?~?\s*"([^"]*)"/g)]
        selectors.push({
          metric: /^[\w:]+/.exec(text)![0],
          labels: matchers.map(([, name, values]) => ({ name: name!, values: values!.split('|') })),
        })
      }
      if (node.name === 'GroupingLabels') kept.push(...(text.match(/\w+/g) ?? []))
    },
  })
  return { selectors, kept }
}
