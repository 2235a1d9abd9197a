/** `npm start`: compiles what changed, then starts everything. The workflows are bundled while the servers start. */
import { bundleChanged, compileChanged } from './compile.js'

try {
  await compileChanged({ isChecked: false })
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
const bundled = bundleChanged()
// Who waits for it learns how it failed.
bundled.catch(() => undefined)
const { start } = await import('../dist/dev/start.js')
await start(bundled)
