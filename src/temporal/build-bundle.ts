import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { Resource } from '@opentelemetry/resources'
import { NoopSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry/lib/plugin.js'
import { type BundlerPlugin, bundleWorkflowCode } from '@temporalio/worker'
import { projectRoot } from '../process/root.ts'

/**
 * Part of the build, in a process of its own: bundles the compiled workflows into dist/workflow-bundle.js, and once more with what
 * traces them, for processes whose traces are collected: others would load it for nothing.
 */
const quiet = () => undefined
const bundle = async (name: string, plugins: BundlerPlugin[]) => {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(projectRoot, 'dist/workflows/index.js'),
    plugins,
    // Stack traces name the file and the line without its text, which every worker would hold twice.
    webpackConfigHook: (config) => ({ ...config, devtool: 'inline-nosources-source-map' }),
    logger: { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, log: quiet },
  })
  writeFileSync(join(projectRoot, 'dist', name), code)
}
const tracing = new OpenTelemetryPlugin({
  resource: Resource.empty(),
  spanProcessor: new NoopSpanProcessor(),
})
await bundle('traced-workflow-bundle.js', [tracing])
await bundle('workflow-bundle.js', [])
