import { join } from 'node:path'
import { newKeyRing } from '../secrets/key-ring.ts'
import { readPrivateJson, writePrivateJson } from './private-file.ts'

/** `DATA_DIR/secrets.json`, mode 0600: the key ring of the embedded database if SECRETS_KEYS is not set. */
interface SecretsFile {
  keys: string
}

/** The key ring of this DATA_DIR; undefined if none was created yet. */
export function readSecretsKeys(dataDir: string): string | undefined {
  return (readPrivateJson(fileOf(dataDir)) as SecretsFile | undefined)?.keys
}

/** The key ring of this DATA_DIR, created if missing. If the file is lost, stored credentials cannot be decrypted. */
export function ensureSecretsKeys(dataDir: string): string {
  const known = readSecretsKeys(dataDir)
  if (known !== undefined) return known
  const keys = newKeyRing()
  writePrivateJson(fileOf(dataDir), { keys } satisfies SecretsFile)
  return keys
}

const fileOf = (dataDir: string) => join(dataDir, 'secrets.json')
