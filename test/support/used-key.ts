import type { TestDatabase } from './database.ts'

/** Has an API key used so long ago. */
export async function usedBefore(database: TestDatabase, keyId: string, ago = '1 minute'): Promise<void> {
  await database.asSuperuser(
    `update gate_private.api_key_hash set last_used_at = now() - interval '${ago}' where key_id = '${keyId}'`,
  )
}
