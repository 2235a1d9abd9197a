import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { bundleWorkflowCode } from '@temporalio/worker'
import { projectRoot } from '../process/root.ts'

/** Part of the build, in a process of its own: bundles the compiled workflows into dist/workflow-bundle.js. */
const quiet = () => undefined
const { code } = await bundleWorkflowCode({
  workflowsPath: join(projectRoot, 'dist/workflows/index.js'),
  // Stack traces name the file and the line without its text, which every worker would hold twice.
  webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
  logger: { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, log: quiet },
})
writeFileSync(join(projectRoot, 'dist/workflow-bundle.js'), code)
