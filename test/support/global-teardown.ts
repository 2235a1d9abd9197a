import { once } from 'node:events'

/** Stops what the setup started. The reaper then finds nothing running and removes the folder. */
export default async function teardown(): Promise<void> {
  const services = globalThis.testServices
  if (!services) return
  for (const stop of services.stops) await stop()
  const { reaper } = services
  if (reaper.exitCode !== null || reaper.signalCode !== null) return
  const gone = once(reaper, 'exit')
  reaper.ref()
  reaper.stdin?.end()
  await gone
}
