/** `npm start`: compiles what changed, then starts everything. The workflows are bundled while the servers start. */
import { bundleChanged, compileChanged } from './compile.js'

const given = process.argv.slice(2)
if (given.length > 0) {
  const isHelp = given.every((one) => one === '--help' || one === '-h')
  const stream = isHelp ? process.stdout : process.stderr
  stream.write(
    'npm start takes no arguments. Its settings are environment variables, such as `PORT=8080 DATA_DIR=.data-2 npm start`: see docs/configuration.md.\n',
  )
  process.exit(isHelp ? 0 : 2)
}
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
