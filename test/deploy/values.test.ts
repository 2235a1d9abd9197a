import { readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv } from 'ajv'
import { expect, test } from '@jest/globals'
import { parse } from 'yaml'
import { environment } from '../../src/environment/environment.ts'
import { limits } from '../../src/limits.ts'
import { projectRoot } from '../../src/process/root.ts'
import { testRows } from '../support/rows.ts'

const chart = join(projectRoot, 'deploy/helm/qualification-gate')
const read = (...path: string[]) => readFileSync(join(chart, ...path), 'utf8')
const isValid = new Ajv({ allErrors: true, strict: false }).compile(JSON.parse(read('values.schema.json')))
const values = () => parse(read('values.yaml'))
const example = () => parse(readFileSync(join(projectRoot, 'deploy/kustomize/values.yaml'), 'utf8'))

/** What the SDKs of Temporal and OpenTelemetry read themselves. */
const outside = ['TEMPORAL_API_KEY', 'OTEL_EXPORTER_OTLP_HEADERS']

type Tree = Record<string, any>
const merged = (base: Tree, more: Tree): Tree =>
  Object.fromEntries(
    [...new Set([...Object.keys(base), ...Object.keys(more)])].map((key) => {
      const [old, given] = [base[key], more[key]]
      const areTrees = [old, given].every(
        (one) => one !== null && typeof one === 'object' && !Array.isArray(one),
      )
      return [key, areTrees ? merged(old, given) : key in more ? given : old]
    }),
  )
const faultsOf = (more: Tree): string[] => {
  isValid(merged(values(), more))
  return (isValid.errors ?? [])
    .map(({ instancePath }) => instancePath)
    .filter((path, n, all) => all.indexOf(path) === n)
}
const faultsWith = (more: Tree) => faultsOf(merged(example(), more)).filter((path) => path !== '')

test('what the chart cannot know must be given, and with it the values are valid', () => {
  expect(
    faultsOf({})
      .filter((path) => path !== '')
      .toSorted(),
  ).toEqual([
    '/existingSecret',
    '/image/repository',
    '/migrate/existingSecret',
    '/publicUrl',
    '/temporal/address',
  ])
  expect(faultsOf(example())).toEqual([])
})

testRows<[Tree, string]>([
  [{ publicUrl: 'http://gate.example.com' }, '/publicUrl'],
  [{ publicUrl: 'https://gate.example.com/path' }, '/publicUrl'],
  [{ temporal: { address: 'http://temporal:7233' } }, '/temporal/address'],
  [{ settings: { STRIPE_SECRET_KEY: 'rk_live_1' } }, '/settings/STRIPE_SECRET_KEY'],
  [{ settings: { DATABASE_URL: 'postgres://a' } }, '/settings/DATABASE_URL'],
  [{ settings: { log_level: 'warn' } }, '/settings'],
  [{ worker: { terminationGracePeriodSeconds: 30 } }, '/worker/terminationGracePeriodSeconds'],
  [{ api: { replicas: 0 } }, '/api/replicas'],
  [{ api: { replica: 3 } }, '/api'],
  [{ image: { digest: 'sha256:abc' } }, '/image/digest'],
  [{ existingSecret: 'Not_A_Name' }, '/existingSecret'],
  [{ metrics: { port: 80 } }, '/metrics/port'],
  [{ sealer: { storage: { size: 'large' } } }, '/sealer/storage/size'],
])('a bad value is refused, and named', (more, path) => {
  expect(faultsWith(more)).toEqual([path])
})

test('a Secret for the login that migrates is not asked for where no Job migrates', () => {
  expect(faultsWith({ migrate: { enabled: false, existingSecret: '' } })).toEqual([])
})

test('every setting that the templates and the values name exists', () => {
  const templates = readdirSync(join(chart, 'templates'))
    .map((file) => read('templates', file))
    .join('\n')
  const listed = /range list ((?:"[A-Z_]+" ?)+)/.exec(templates)![1]!
  const named = [
    ...[...templates.matchAll(/- name: ([A-Z][A-Z0-9_]+)$/gm)].map((match) => match[1]!),
    ...[...listed.matchAll(/"([A-Z_]+)"/g)].map((match) => match[1]!),
    ...Object.keys(values().settings),
  ]
  expect(named.length).toBeGreaterThan(15)
  const known = new Set([...Object.keys(environment.shape), ...outside])
  expect(named.filter((name) => !known.has(name))).toEqual([])
})

test('no secret setting can be given as a plain value', () => {
  const { properties } = JSON.parse(read('values.schema.json')).properties.settings
  const secret = Object.keys(environment.shape).filter((name) =>
    /KEY|SECRET|TOKEN|PASSWORD|SLACK_CLIENT|SMTP_URL|DATABASE_(OWNER_)?URL/.test(name),
  )
  expect(secret.length).toBeGreaterThan(8)
  expect(secret.filter((name) => properties[name] !== false)).toEqual([])
})

test('the schema knows each setting: as one that may be given, or as a secret or one of the chart’s own', () => {
  const { properties } = JSON.parse(read('values.schema.json')).properties.settings
  const known = [...Object.keys(environment.shape), ...outside]
  expect(Object.keys(properties).toSorted()).toEqual(known.toSorted())
})

test('a pod is given longer to end than its process takes', () => {
  const { worker, api } = values()
  expect(worker.terminationGracePeriodSeconds * 1_000).toBeGreaterThan(limits.shutdownGraceMs + 45_000)
  expect(read('templates', 'api.yaml')).toContain(`add .Values.api.drainSeconds 95`)
  expect(api.drainSeconds).toBeGreaterThanOrEqual(limits.drainSecondsDefault)
})

test('the versions of the chart are that of the product', () => {
  const { version } = JSON.parse(readFileSync(join(projectRoot, 'package.json'), 'utf8'))
  const { version: ofChart, appVersion } = parse(read('Chart.yaml'))
  expect([ofChart, appVersion]).toEqual([version, version])
})
