import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { BenchCase } from './cases/case.ts'
import { cases } from './cases/index.ts'
import { type Finding, machineFacts, report, table } from './report.ts'
import { startServices } from './support/services.ts'

const usage = `npm run bench -- [--case NAME]... [--seconds N] [--open N] [--json FILE] [--profile FOLDER]
  --case NAME       one of: ${cases.map(({ name }) => name).join(', ')};
                    by default all but ${cases.flatMap(({ name, isOnRequest }) => (isOnRequest ? [name] : [])).join(', ')}
  --seconds N       seconds to measure each side, for each number of clients (6)
  --open N          open proposals in the case "open" (20000)
  --log-level L     LOG_LEVEL of the gate's processes (warn)
  --json FILE       also writes the findings to FILE
  --profile FOLDER  writes CPU profiles of the API and the worker to FOLDER
`

/** Measures the gate and plain implementations of the same work. A missed target is reported; only a failing case is an error. */
async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      case: { type: 'string', multiple: true },
      seconds: { type: 'string', default: '6' },
      open: { type: 'string', default: '20000' },
      'log-level': { type: 'string', default: 'warn' },
      json: { type: 'string' },
      profile: { type: 'string' },
      help: { type: 'boolean' },
    },
  })
  if (values.help) return void process.stdout.write(usage)
  const chosen = choose(values.case)
  const log = (line: string) => void process.stderr.write(`${line}\n`)
  const starting = startServices({ logLevel: values['log-level'], profileFolder: values.profile, log })
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.on(signal, () => void starting.then((started) => started.stop()).finally(() => process.exit(130)))
  }
  const services = await starting
  const findings: Finding[] = []
  const options = { seconds: positive(values.seconds), open: positive(values.open), log }
  for (const one of chosen) {
    log(`measuring: ${one.name}`)
    await services.quiet()
    try {
      const found = await one.run(services, options)
      for (const { case: name, clients, ratio } of found)
        log(`  ${name}, clients ${clients}: ${ratio?.toFixed(2)}`)
      findings.push(...found)
    } catch (error) {
      process.exitCode = 1
      log(`${one.name} failed: ${(error as Error).stack}`)
    }
  }
  for (const [name, mb] of Object.entries(services.maxResidentMb())) {
    findings.push({
      case: `largest resident memory of the ${name}`,
      clients: 16,
      unit: 'MB',
      ours: mb,
      bare: null,
      ratio: null,
      target: { atMost: name === 'api' ? 250 : 500 },
    })
  }
  await services.stop()
  const settings = {
    log_level: values['log-level'],
    rate_limit: 0,
    seconds: values.seconds,
    open: values.open,
  }
  const result = report(findings, { ...machineFacts(), ...settings })
  process.stdout.write(table(result))
  if (values.json) writeFileSync(values.json, `${JSON.stringify(result, null, 2)}\n`)
}

function choose(names: string[] | undefined): BenchCase[] {
  const unknown = names?.find((name) => !cases.some((one) => one.name === name))
  if (unknown !== undefined) throw new Error(`Case ${unknown} does not exist.\n${usage}`)
  return names
    ? cases.filter(({ name }) => names.includes(name))
    : cases.filter(({ isOnRequest }) => !isOnRequest)
}

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
