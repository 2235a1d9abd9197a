import { join } from 'node:path'
import { newKeyRing } from '../secrets/key-ring.ts'
import { readPrivateJson, writePrivateJson } from './private-file.ts'

/** `DATA_DIR/secrets.json`, mode 0600: the key ring of the embedded database, where SECRETS_KEYS names none. */
interface SecretsFile {
  keys: string
}

/** The key ring of this DATA_DIR; undefined where no start has made one. */
export function readSecretsKeys(dataDir: string): string | undefined {
  return (readPrivateJson(fileOf(dataDir)) as SecretsFile | undefined)?.keys
}

/** The key ring of this DATA_DIR, made where there is none. Without the file, what it sealed cannot be opened again. */
export function ensureSecretsKeys(dataDir: string): string {
  const known = readSecretsKeys(dataDir)
  if (known !== undefined) return known
  const keys = newKeyRing()
  writePrivateJson(fileOf(dataDir), { keys } satisfies SecretsFile)
  return keys
}

const fileOf = (dataDir: string) => join(dataDir, 'secrets.json')
