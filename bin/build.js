/** `npm run build`: compiles what changed. */
import { bundleChanged, compileChanged } from './compile.js'

try {
  await compileChanged({ isChecked: true })
  await bundleChanged()
} catch (error) {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
}
