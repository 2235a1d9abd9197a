import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parse } from 'yaml'
import { folder, sourcesOf } from './tools.ts'

const kubernetes = 'k8s.io/kubernetes@v1.32.4'
const operator = 'github.com/prometheus-operator/prometheus-operator@v0.79.2'

/**
 * Schemas of the kinds that the chart uses, as kubeconform reads them: from the API description of Kubernetes and the CRD of the
 * Prometheus operator, in their Go modules. A field that they do not know is refused.
 * @returns the location to give to kubeconform
 */
export function writeSchemas(): string {
  const place = join(folder, 'schemas')
  mkdirSync(place, { recursive: true })
  const { definitions } = JSON.parse(
    readFileSync(join(sourcesOf(kubernetes), 'api', 'openapi-spec', 'swagger.json'), 'utf8'),
  ) as { definitions: Record<string, any> }
  const strict = Object.fromEntries(Object.entries(definitions).map(([name, of]) => [name, closed(of)]))
  for (const [name, of] of Object.entries(definitions))
    for (const { group, version, kind } of of['x-kubernetes-group-version-kind'] ?? [])
      write(
        place,
        { group, version, kind },
        { $ref: `#/definitions/${name}`, definitions: neededBy(name, strict) },
      )
  const crd = parse(
    readFileSync(
      join(sourcesOf(operator), 'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml'),
      'utf8',
    ),
  )
  const schema = closed(crd.spec.versions[0].schema.openAPIV3Schema)
  schema.properties.metadata = { type: 'object' }
  write(place, { group: 'monitoring.coreos.com', version: 'v1', kind: 'ServiceMonitor' }, schema)
  return join(place, '{{ .ResourceKind }}{{ .KindSuffix }}.json')
}

const kinds = new Set(
  'ConfigMap Deployment HorizontalPodAutoscaler Job NetworkPolicy PersistentVolumeClaim PodDisruptionBudget Service ServiceAccount ServiceMonitor StatefulSet'.split(
    ' ',
  ),
)

function write(
  place: string,
  { group, version, kind }: { group: string; version: string; kind: string },
  schema: object,
) {
  if (!kinds.has(kind)) return
  const [first = ''] = group.split('.')
  const suffix = [first, version].filter(Boolean).join('-')
  writeFileSync(join(place, `${kind.toLowerCase()}-${suffix}.json`), JSON.stringify(schema))
}

/** The definitions that one reaches: all of them would be three megabytes for each kind. */
function neededBy(name: string, all: Record<string, any>): Record<string, any> {
  const found: Record<string, any> = {}
  const waiting = [name]
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next in found) continue
    found[next] = all[next]
    waiting.push(...[...JSON.stringify(all[next]).matchAll(/#\/definitions\/([^"]+)/g)].map((one) => one[1]!))
  }
  return found
}

/** The same schema, in which objects have no other fields than those that it names, and numbers may stand for quantities. */
function closed(schema: any): any {
  if (Array.isArray(schema)) return schema.map(closed)
  if (schema === null || typeof schema !== 'object') return schema
  const { format, type, ...rest } = schema
  if (format === 'int-or-string' || schema['x-kubernetes-int-or-string'])
    return { anyOf: [{ type: 'string' }, { type: 'integer' }] }
  if (/Quantity is a fixed-point/.test(String(schema.description)))
    return { anyOf: [{ type: 'string' }, { type: 'number' }] }
  const inner = Object.fromEntries(Object.entries(rest).map(([key, value]) => [key, closed(value)]))
  return {
    ...inner,
    ...(typeof type === 'string' ? { type } : type === undefined ? {} : { type: closed(type) }),
    ...(typeof format === 'object' ? { format: closed(format) } : {}),
    ...(rest.properties && typeof type === 'string' && rest.additionalProperties === undefined
      ? { additionalProperties: false }
      : {}),
  }
}
