import { migrate } from '../db/migrate.ts'
import type { CliContext } from './context.ts'
import { defineVerb } from './verb.ts'

export const migrateDatabase = defineVerb({
  summary: 'Bring the database to this program, and register what it needs in Temporal',
  options: {},
  async run(context) {
    const { ownerUrl, serviceUrl } = context.databaseUrls()
    const applied = await migrate(ownerUrl, serviceUrl, context.say)
    await prepareTemporal(context)
    return { applied }
  },
  text: ({ applied }: { applied: string[] }) =>
    applied.length === 0 ? 'Nothing to apply: the database is up to date.' : `Applied ${applied.join(', ')}.`,
})

// A worker registers the same when it starts, so that Temporal may be down now.
async function prepareTemporal(context: CliContext): Promise<void> {
  const workflows = await context.workflows()
  const problem = (await workflows.isUp())
    ? await workflows.prepare().then(
        () => null,
        (error: Error) => error.message,
      )
    : 'it does not answer'
  if (problem === null) return
  context.say(
    `Temporal at ${context.temporalAddress()}: ${problem}. Search attributes and schedule were not registered; a worker does it when it starts.`,
  )
}
