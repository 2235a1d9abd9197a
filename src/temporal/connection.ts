import { Connection } from '@temporalio/client'
import { loadClientConnectConfig } from '@temporalio/envconfig'
import type { Config } from '../config.ts'

/** Connection options: `TEMPORAL_*` as in every Temporal tool, with address and namespace from our own config. */
export function temporalOptions(config: Config) {
  const { connectionOptions } = loadClientConnectConfig({ disableFile: true })
  return {
    connectionOptions: { ...connectionOptions, address: config.TEMPORAL_ADDRESS ?? '127.0.0.1:7233' },
    namespace: config.TEMPORAL_NAMESPACE,
  }
}

/** A connection that opens on first use, so that the API starts while Temporal is down. */
export function lazyConnection(config: Config): Connection {
  return Connection.lazy(temporalOptions(config).connectionOptions)
}
