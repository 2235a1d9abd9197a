import { publishEpoch } from '../db/queries/ledger/sealing.ts'
import { signCheckpoint } from './checkpoints.ts'
import { accountOrigin, epochOrigin } from './epoch.ts'
import { type LogKeys, signingKeys } from './log-keys.ts'
import type { SealerDeps } from './sealer-deps.ts'

/** A seal of an account, whose history this process has checked. */
export interface SealToSign {
  account: string
  size: number
  root: Buffer
}

/** Signs an epoch and its seals, which are stored, and makes them visible. */
export async function publish(
  { db, publicUrl, now = () => new Date() }: SealerDeps,
  epoch: { size: number; root: string; seals: SealToSign[] },
  keys: LogKeys,
): Promise<void> {
  const [url, at] = [publicUrl(), now()]
  const signing = signingKeys(keys, at)
  const sign = (origin: string, size: number, root: Buffer) =>
    signCheckpoint({ origin, size, root }, signing, url, at)
  await publishEpoch(db, {
    size: epoch.size,
    note: sign(epochOrigin(url), epoch.size, Buffer.from(epoch.root, 'hex')),
    seals: epoch.seals.map(({ account, size, root }) => ({
      account,
      size,
      note: sign(accountOrigin(url, account), size, root),
    })),
  })
}
