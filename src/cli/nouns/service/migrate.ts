import { migrate } from '../../../db/migrate.ts'
import type { CliContext } from '../../context.ts'
import { defineVerb } from '../../verb.ts'

export const migrateDatabase = defineVerb({
  summary:
    'Migrate the database to this version, and register search attributes and the schedule in Temporal',
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

// Workers register the same when they start, so Temporal may be down here.
async function prepareTemporal(context: CliContext): Promise<void> {
  const workflows = await context.workflows()
  const problem = (await workflows.isUp())
    ? await workflows.prepare().then(
        () => null,
        (error: Error) => error.message,
      )
    : 'no answer'
  if (problem === null) return
  context.say(
    `Temporal at ${context.temporalAddress()}: ${problem}. Search attributes and the schedule were not registered; a worker registers them when it starts.`,
  )
}
