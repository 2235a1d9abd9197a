import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Resource } from '@opentelemetry/resources'
import { NoopSpanProcessor } from '@opentelemetry/sdk-trace-base'
import { OpenTelemetryPlugin } from '@temporalio/interceptors-opentelemetry/lib/plugin.js'
import { bundleWorkflowCode } from '@temporalio/worker'
import { projectRoot } from '../../src/process/root.ts'

const quiet = () => undefined

export const silentPlugin = () =>
  new OpenTelemetryPlugin({ resource: Resource.empty(), spanProcessor: new NoopSpanProcessor() })

/** The workflows of tests with what traces them. @returns the path of the bundle */
export async function tracedBundle(): Promise<string> {
  const { code } = await bundleWorkflowCode({
    workflowsPath: join(projectRoot, 'test', 'support', 'workflows.ts'),
    plugins: [silentPlugin()],
    logger: { trace: quiet, debug: quiet, info: quiet, warn: quiet, error: quiet, log: quiet },
  })
  const file = join(process.env['TEST_RUN_DIR'] ?? tmpdir(), 'traced-workflow-bundle.js')
  writeFileSync(file, code)
  return file
}
