import { listUnsigned, publishEpoch } from '../db/queries/ledger/seals.ts'
import { signCheckpoint } from './checkpoints.ts'
import { accountOrigin, epochOrigin } from './epoch.ts'
import { type LogKeys, signingKeys } from './log-keys.ts'
import type { SealerDeps } from './sealer-deps.ts'

/** Signs an epoch and its seals, which are stored, and makes them visible. */
export async function publish(
  { db, publicUrl, now = () => new Date() }: SealerDeps,
  epoch: { size: number; root: string },
  keys: LogKeys,
): Promise<void> {
  const [url, at] = [publicUrl(), now()]
  const signing = signingKeys(keys, at)
  const sign = (origin: string, size: number, root: Buffer) =>
    signCheckpoint({ origin, size, root }, signing, url, at)
  const seals = await listUnsigned(db, epoch.size)
  await publishEpoch(db, {
    size: epoch.size,
    note: sign(epochOrigin(url), epoch.size, Buffer.from(epoch.root, 'hex')),
    seals: seals.map(({ account_id: account, size, root }) => ({
      account,
      size,
      note: sign(accountOrigin(url, account), size, root),
    })),
  })
}
