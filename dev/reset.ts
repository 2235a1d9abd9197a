import { rmSync } from 'node:fs'
import { readConfig } from '../src/config.ts'
import { eraseEmbedded } from './embedded/erase.ts'

/** `npm run reset`: deletes all data of `npm start`. */
async function main(): Promise<void> {
  const config = readConfig()
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  await eraseEmbedded(config.DATA_DIR, say)
  rmSync(config.DATA_DIR, { recursive: true, force: true })
  say('All data was deleted. Run `npm start` to start with an empty service.')
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
