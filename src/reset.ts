import { rmSync } from 'node:fs'
import { readConfig } from './config.ts'
import { eraseEmbedded } from './embedded/erase.ts'

/** `npm run reset`: forgets everything that `npm start` made. */
async function main(): Promise<void> {
  const config = readConfig()
  const say = (line: string) => void process.stdout.write(`${line}\n`)
  await eraseEmbedded(config.DATA_DIR, say)
  rmSync(config.DATA_DIR, { recursive: true, force: true })
  say('Everything was erased. `npm start` begins anew.')
}

main().catch((error: Error) => {
  process.stderr.write(`${error.message}\n`)
  process.exit(1)
})
