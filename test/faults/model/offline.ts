import { verifyFile } from '#verify'
import { sealedProof } from '../../../src/operations/seals/sealed-export.ts'
import type { System } from '../system/system.ts'
import type { Demand } from './record.ts'

/** What somebody without the gate says of each sealed export: the verifier shares no code with the product. */
export async function judgeOffline(
  { service }: System,
  scenes: readonly { account: string }[],
  demand: Demand,
): Promise<void> {
  const { policy } = (await service.gate('ledger', 'keys')) as { policy: string }
  for (const { account } of scenes) {
    const verdict = await verifyFile(bytesOf(sealedProof(service, account)), { policy: `${policy}\n` })
    demand(verdict.ok, 'the offline verifier says yes', () => [account, verdict])
  }
}

async function* bytesOf(lines: AsyncIterable<string>): AsyncGenerator<Uint8Array> {
  for await (const line of lines) yield Buffer.from(line)
}
