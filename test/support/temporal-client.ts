import { Client, Connection } from '@temporalio/client'
import type { TestGate } from './gate.ts'

/** Temporal itself, as an operator has it. Its `connection` is to be closed. */
export async function temporalOf({ config }: Pick<TestGate, 'config'>): Promise<Client> {
  const connection = await Connection.connect({ address: config.TEMPORAL_ADDRESS! })
  return new Client({ connection, namespace: config.TEMPORAL_NAMESPACE })
}
