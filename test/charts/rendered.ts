import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from '@jest/globals'
import { parseAllDocuments } from 'yaml'
import { projectRoot } from '../../src/process/root.ts'
import { productVersion } from '../../src/process/version.ts'
import { testRows } from '../support/rows.ts'
import { writeSchemas } from './programs/schemas.ts'
import { folder, tool } from './programs/tools.ts'

// Lints, renders and checks the chart with helm, kubeconform and kustomize. No cluster is needed, and none is asked.

const chart = join(projectRoot, 'deploy/helm/qualification-gate')
const kustomize = join(projectRoot, 'deploy/kustomize')
const kubeVersion = '1.32.4'

let schemas: string
beforeAll(() => {
  mkdirSync(folder, { recursive: true })
  schemas = writeSchemas()
}, 600_000)

const render = (values: object = {}): string => {
  const file = join(folder, 'values.json')
  writeFileSync(file, JSON.stringify(values))
  const args = ['template', 'gate', chart, '-n', 'gate', '--kube-version', kubeVersion]
  return execFileSync(tool('helm'), [...args, '-f', join(kustomize, 'values.yaml'), '-f', file], {
    encoding: 'utf8',
  })
}

/** What kubeconform says of the rendered objects; empty: all are valid. */
function faultsOf(rendered: string): string[] {
  const args = ['-strict', '-output', 'json', '-schema-location', schemas]
  const { stdout, stderr } = spawnSync(tool('kubeconform'), args, { input: rendered, encoding: 'utf8' })
  if (!stdout.startsWith('{')) throw new Error(`kubeconform: ${stderr}`)
  return JSON.parse(stdout).resources.map(({ kind, name, msg }: any) => `${kind} ${name}: ${msg}`)
}

const objects = (rendered: string): any[] =>
  parseAllDocuments(rendered)
    .map((one) => one.toJS())
    .filter(Boolean)

const everything = {
  image: {
    repository: 'registry.example.com/gate',
    digest: `sha256:${'a'.repeat(64)}`,
    pullSecrets: [{ name: 'pull' }],
  },
  settings: { TRUST_PROXY: '10.0.0.0/8', RATE_LIMIT_PER_MINUTE: 600, LOG_LEVEL: 'warn' },
  api: { autoscaling: { enabled: true }, service: { type: 'LoadBalancer' }, nodeSelector: { disk: 'ssd' } },
  worker: { autoscaling: { enabled: true }, tolerations: [{ key: 'only', operator: 'Exists' }] },
  sealer: { existingSecret: 'gate-log', storage: { existingClaim: 'seals' } },
  workspaces: { existingClaim: 'files' },
  metrics: { serviceMonitor: { enabled: true, labels: { release: 'prometheus' } } },
  networkPolicy: { metricsFrom: [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }] },
  serviceAccount: { annotations: { 'example.com/role': 'gate' } },
}
const little = {
  migrate: { enabled: false },
  sealer: { enabled: false },
  metrics: { enabled: false },
  podDisruptionBudget: { enabled: false },
  networkPolicy: { enabled: false },
  serviceAccount: { create: false },
}

test('helm lints the chart without a warning', () => {
  const { status, stdout } = spawnSync(
    tool('helm'),
    ['lint', '--strict', chart, '-f', join(kustomize, 'values.yaml')],
    {
      encoding: 'utf8',
    },
  )
  expect([status, stdout]).toEqual([0, expect.stringContaining('0 chart(s) failed')])
})

testRows<[string, object]>([
  ['as it is', {}],
  ['with everything', everything],
  ['with little', little],
])('what is rendered %s is valid for Kubernetes', (_, values) => {
  const rendered = render(values)
  expect(objects(rendered).length).toBeGreaterThan(2)
  expect(faultsOf(rendered)).toEqual([])
})

test('a misspelt field, a wrong type and an unknown kind are found out', () => {
  const rendered = render()
  expect(faultsOf(rendered.replace('readOnlyRootFilesystem', 'readOnlyRootFileSystem')).join()).toContain(
    'readOnlyRootFileSystem',
  )
  expect(faultsOf(rendered.replace('replicas: 2', 'replicas: two')).join()).toContain('replicas')
  expect(faultsOf(rendered.replace('kind: Job', 'kind: Jobb')).join()).toContain('Jobb')
})

test('every pod runs as nobody in particular, writes nowhere but its volumes, and talks to no Kubernetes', () => {
  const pods = objects(render(everything)).flatMap(({ kind, spec }) =>
    spec?.template ? [{ kind, pod: spec.template.spec }] : [],
  )
  expect(pods.map(({ kind }) => kind).toSorted()).toEqual(['Deployment', 'Deployment', 'Job', 'StatefulSet'])
  for (const { pod } of pods) {
    expect(pod.automountServiceAccountToken).toBe(false)
    expect(pod.securityContext).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    for (const { securityContext } of pod.containers)
      expect(securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      })
  }
})

test('the login that migrates reaches the Job alone, and the key of the log the sealer alone', () => {
  const holders = (name: string) =>
    objects(render(everything)).flatMap(({ kind, metadata, spec }) =>
      spec?.template?.spec?.containers?.[0]?.env?.some((one: any) => one.name === name)
        ? [`${kind} ${metadata.name}`]
        : [],
    )
  expect(holders('DATABASE_OWNER_URL')).toEqual(['Job gate-migrate'])
  expect(holders('LEDGER_KEY')).toEqual(['StatefulSet gate-sealer'])
  expect(holders('STRIPE_SECRET_KEY').toSorted()).toEqual(['Deployment gate-api', 'Deployment gate-worker'])
})

test('the base of kustomize is what the chart renders, and the overlay is valid: otherwise run npm run deploy:base', () => {
  const base = render()
  const file = join(kustomize, 'base/gate.yaml')
  if (process.env['DEPLOY_WRITE'] === '1') writeFileSync(file, base)
  expect(readFileSync(file, 'utf8')).toBe(base)
  const built = execFileSync(tool('kustomize'), ['build', join(kustomize, 'overlays/example')], {
    encoding: 'utf8',
  })
  expect(faultsOf(built)).toEqual([])
  const api = objects(built).find(
    ({ kind, metadata }) => kind === 'Deployment' && metadata.name === 'gate-api',
  )
  expect(api.spec.replicas).toBe(3)
  const [{ image, env }] = api.spec.template.spec.containers
  expect(image).toBe(`registry.example.com/qualification-gate:${productVersion}`)
  expect(env.find(({ name }: any) => name === 'PUBLIC_URL').value).toBe('https://gate.my.example')
})
