import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleWorkflowCode } from '@temporalio/worker'
import { projectRoot } from '../root.ts'

/** Part of the build: bundles the compiled workflows into dist/workflow-bundle.js, unless that is newer than they are. */
const target = join(projectRoot, 'dist/workflow-bundle.js')
const sources = [
  ...readdirSync(join(projectRoot, 'dist/workflows'))
    .filter((file) => file.endsWith('.js'))
    .map((file) => join(projectRoot, 'dist/workflows', file)),
  join(projectRoot, 'dist/src/temporal/names.js'),
  join(projectRoot, 'dist/src/temporal/workflow-limits.js'),
  join(projectRoot, 'package-lock.json'),
]

const madeAt = existsSync(target) ? statSync(target).mtimeMs : 0
if (sources.some((file) => existsSync(file) && statSync(file).mtimeMs > madeAt)) {
  const quiet = () => undefined
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(projectRoot, 'dist/workflows/index.js'),
    logger: { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, log: quiet },
  })
  writeFileSync(target, code)
}
