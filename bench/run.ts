import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { BenchCase, CaseOptions } from './cases/case.ts'
import { cases } from './cases/index.ts'
import { byKey, figuresFile, isSameMachine, mergedFigures, readFigures, writeFigures } from './figures.ts'
import { type Finding, combine, keyOf, machineFacts, report, table, valueOf } from './report.ts'
import { type ServiceName, type ServiceOptions, startServices } from './support/services.ts'

const defaults = {
  seconds: '4',
  kills: '10',
  held: '20000',
  runs: '1',
}

const usage = `npm run bench -- [--case NAME]... [--seconds N] [--runs N] [--save] [--json FILE] [--profile FOLDER]
  --case NAME       one of: ${cases.map(({ name }) => name).join(', ')};
                    by default all but ${cases.flatMap(({ name, isOnRequest }) => (isOnRequest ? [name] : [])).join(', ')}
  --seconds N       seconds to measure each side, for each number of clients (${defaults.seconds})
  --kills N         kills of a worker for each point of the case "recovery" (${defaults.kills})
  --held N          open proposals during the last kills of the case "recovery" (${defaults.held})
  --runs N          runs everything N times, each time with new services, and shows the range (${defaults.runs})
  --against FILE    the earlier figures to show beside (bench/figures.json)
  --save            keeps the figures in bench/figures.json
  --json FILE       also writes the findings to FILE
  --log-level L     LOG_LEVEL of the gate's processes (warn)
  --profile FOLDER  writes CPU profiles of the API and the worker to FOLDER
`

/** Measures the gate and plain implementations of the same work. A missed target is reported; only a failing case is an error. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      case: { type: 'string', multiple: true },
      seconds: { type: 'string', default: defaults.seconds },
      kills: { type: 'string', default: defaults.kills },
      held: { type: 'string', default: defaults.held },
      runs: { type: 'string', default: defaults.runs },
      against: { type: 'string', default: figuresFile },
      save: { type: 'boolean', default: false },
      json: { type: 'string' },
      'log-level': { type: 'string', default: 'warn' },
      profile: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return void process.stdout.write(usage)
  const chosen = choose(values.case)
  const log = (line: string) => void process.stderr.write(`${line}\n`)
  const { seconds, kills, held, runs } = values
  const sizes = {
    seconds: positive(seconds),
    kills: positive(kills),
    held: positive(held),
  }
  const measured: Finding[][] = []
  for (let run = 1; run <= positive(runs); run++) {
    if (positive(runs) > 1) log(`run ${run} of ${runs}`)
    const services = { logLevel: values['log-level'], profileFolder: values.profile, log }
    const { findings, largestMb } = await measure(chosen, services, { ...sizes, log })
    // Memory is a figure of all cases together.
    measured.push(values.case ? findings : [...findings, ...memoryFindings(largestMb)])
  }
  const settings = { log_level: values['log-level'], rate_limit: 0, ...sizes, runs: positive(runs) }
  const result = report(combine(measured), { ...machineFacts(), ...settings })
  const former = readFigures(values.against)
  process.stdout.write(table(result, byKey(former?.findings ?? [])))
  if (former && !isSameMachine(former.machine, result.machine))
    log(`"then" was measured on another machine: ${former.machine['cores']} × ${former.machine['processor']}`)
  if (values.json) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
  if (values.save) {
    const names = cases.map(({ name }) => name)
    writeFigures(
      figuresFile,
      mergedFigures(readFigures(figuresFile), result, { today: today(), cases: names }),
    )
  }
}

type Measured = { findings: Finding[]; largestMb: Record<ServiceName, number> }

/** Runs cases one after another on the same services. */
async function measure(
  chosen: BenchCase[],
  serviceOptions: ServiceOptions,
  options: CaseOptions,
): Promise<Measured> {
  const { log } = options
  const starting = startServices(serviceOptions)
  const stopAtOnce = () => void starting.then((started) => started.stop()).finally(() => process.exit(130))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, stopAtOnce)
  const services = await starting
  const findings: Finding[] = []
  for (const one of chosen) {
    const startedAt = performance.now()
    log(`measuring: ${one.name}`)
    try {
      await services.quiet()
      const found = await one.run(services, options)
      for (const finding of found) log(`  ${keyOf(finding)}: ${valueOf(finding).toFixed(2)}`)
      findings.push(...found.map((finding) => ({ ...finding, of: one.name })))
      await services.quiet()
      const { ledgers, entries } = await services.ledgers.verify()
      if (ledgers > 0) log(`${one.name}: ${entries} entries of ${ledgers} ledgers verified`)
    } catch (error) {
      process.exitCode = 1
      log(`${one.name} failed: ${(error as Error).stack}`)
    }
    log(`${one.name} took ${Math.round((performance.now() - startedAt) / 1_000)} s`)
  }
  const largestMb = services.maxResidentMb()
  await services.stop()
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.off(signal, stopAtOnce)
  return { findings, largestMb }
}

function memoryFindings(largestMb: Record<ServiceName, number>): Finding[] {
  return Object.entries(largestMb).map(([name, mb]) => ({
    case: `largest resident memory of the ${name}`,
    clients: 16,
    unit: 'MB',
    ours: mb,
    bare: null,
    ratio: null,
    target: { atMost: name === 'api' ? 250 : 500 },
  }))
}

function choose(names: string[] | undefined): BenchCase[] {
  const unknown = names?.find((name) => !cases.some((one) => one.name === name))
  if (unknown !== undefined) throw new Error(`Case ${unknown} does not exist.\n${usage}`)
  return names
    ? cases.filter(({ name }) => names.includes(name))
    : cases.filter(({ isOnRequest }) => !isOnRequest)
}

const today = (): string => new Date().toISOString().slice(0, 10)

function positive(text: string): number {
  const value = Number(text)
  if (!(value > 0)) throw new Error(`${text} is not a positive number.\n${usage}`)
  return value
}

main().then(
  () => process.exit(),
  (error: Error) => {
    process.stderr.write(`${error.stack}\n`)
    process.exit(1)
  },
)
