import type { Db } from '../../db/connect.ts'
import { readCompany, storeRewrappedCompany } from '../../db/queries/accounts/company.ts'
import { listAccounts } from '../../db/queries/accounts/accounts.ts'
import {
  type WrappedSecretRow,
  listWrappedElsewhere,
  storeRewrapped,
} from '../../db/queries/integrations/integrations.ts'
import {
  listKindSecretsElsewhere,
  storeRewrappedKindSecrets,
} from '../../db/queries/executors/kind-secrets.ts'
import { listEndpointSecretsElsewhere, rewrapEndpointSecret } from '../../db/queries/events/endpoints.ts'
import { readPushKey, rewrapPushKey } from '../../db/queries/members/push-key.ts'
import { readReceiptKeys, rewrapReceiptKey } from '../../db/queries/receipts/receipt-keys.ts'
import { listSigningElsewhere, storeRewrappedSigning } from '../../db/queries/runner/runner-signing.ts'
import { limits } from '../../limits.ts'
import type { KeyProvider } from '../../secrets/key-provider.ts'
import { rewrap, serviceWide } from '../../secrets/seal.ts'
import { sealAgain } from '../keys/runner-signing.ts'
import { type RewrappedPage, rewrapUpstreams } from '../upstreams/rewrap.ts'

/** Encrypts every stored secret, those of kinds, endpoints, runner keys, MCP servers, receipts and pushes included, under the first key of the ring, page by page. One that fails does not stop the others. */
export async function* rewrapSecrets(db: Db, keys: KeyProvider): AsyncGenerator<RewrappedPage> {
  for (const { account_id } of await listAccounts(db)) {
    yield* rewrapAccount(db, keys, account_id)
    yield rewrapKindSecrets(db, keys, account_id)
    yield rewrapEndpoints(db, keys, account_id)
    yield rewrapSigning(db, keys, account_id)
    yield rewrapUpstreams(db, keys, account_id)
    yield rewrapCompany(db, keys, account_id)
  }
  yield rewrapKeyOfPushes(db, keys)
  yield rewrapReceiptKeys(db, keys)
}

async function rewrapKeyOfPushes(db: Db, keys: KeyProvider): Promise<RewrappedPage> {
  const row = await readPushKey(db)
  if (!row || row.secrets_kid === keys.kid) return { rewrapped: 0, failures: [] }
  const { secrets_kid: oldSecretsKid, wrapped_key: wrappedKey } = row
  try {
    const wrapped = await rewrap(keys, serviceWide, { kid: oldSecretsKid, wrappedKey })
    const isMoved = await rewrapPushKey(db, { oldSecretsKid, ...wrapped })
    return { rewrapped: isMoved ? 1 : 0, failures: [] }
  } catch (error) {
    return { rewrapped: 0, failures: [{ place: 'push key', error }] }
  }
}

async function rewrapReceiptKeys(db: Db, keys: KeyProvider): Promise<RewrappedPage> {
  const done: RewrappedPage = { rewrapped: 0, failures: [] }
  for (const { kid, secrets_kid: oldSecretsKid, wrapped_key: wrappedKey } of await readReceiptKeys(db)) {
    if (oldSecretsKid === keys.kid) continue
    try {
      const wrapped = await rewrap(keys, serviceWide, { kid: oldSecretsKid, wrappedKey })
      const moved = { kid, oldSecretsKid, secretsKid: wrapped.kid, wrappedKey: wrapped.wrappedKey }
      if (await rewrapReceiptKey(db, moved)) done.rewrapped++
    } catch (error) {
      done.failures.push({ place: `receipt key ${kid}`, error })
    }
  }
  return done
}

async function rewrapCompany(db: Db, keys: KeyProvider, account: string): Promise<RewrappedPage> {
  const found = await readCompany(db, account)
  if (!found || found.kid === keys.kid) return { rewrapped: 0, failures: [] }
  try {
    const wrapped = await rewrap(keys, account, { kid: found.kid, wrappedKey: found.wrapped_key })
    const isStored = await storeRewrappedCompany(db, { account, oldKid: found.kid, ...wrapped })
    return { rewrapped: isStored ? 1 : 0, failures: [] }
  } catch (error) {
    return { rewrapped: 0, failures: [{ place: `${account} sign-in with the company`, error }] }
  }
}

async function rewrapKindSecrets(db: Db, keys: KeyProvider, account: string): Promise<RewrappedPage> {
  const done: RewrappedPage = { rewrapped: 0, failures: [] }
  for (const row of await listKindSecretsElsewhere(db, account, keys.kid)) {
    const { kind, secret_id: secret, kid: oldKid, wrapped_key: wrappedKey } = row
    try {
      const { kid, wrappedKey: rewrapped } = await rewrap(keys, account, { kid: oldKid, wrappedKey })
      const secrets = [{ kind, secret, oldKid, wrappedKey: rewrapped }]
      done.rewrapped += await storeRewrappedKindSecrets(db, { account, kid, secrets })
    } catch (error) {
      done.failures.push({ place: `${account} ${kind} ${secret}`, error })
    }
  }
  return done
}

async function rewrapEndpoints(db: Db, keys: KeyProvider, account: string): Promise<RewrappedPage> {
  const done: RewrappedPage = { rewrapped: 0, failures: [] }
  for (const row of await listEndpointSecretsElsewhere(db, account, keys.kid)) {
    const { endpoint_id: endpointId, secret_id: secretId, kid: oldKid, wrapped_key: wrappedKey } = row
    try {
      const wrapped = await rewrap(keys, account, { kid: oldKid, wrappedKey })
      if (await rewrapEndpointSecret(db, { account, endpointId, secretId, oldKid, ...wrapped }))
        done.rewrapped++
    } catch (error) {
      done.failures.push({ place: `${account} ${endpointId} ${secretId}`, error })
    }
  }
  return done
}

async function rewrapSigning(db: Db, keys: KeyProvider, account: string): Promise<RewrappedPage> {
  const done: RewrappedPage = { rewrapped: 0, failures: [] }
  for (const row of await listSigningElsewhere(db, account, keys.kid)) {
    const { key_id: keyId, kid: oldKid } = row
    try {
      const secret = await sealAgain(keys, account, row)
      if (await storeRewrappedSigning(db, { account, keyId, oldKid, ...secret })) done.rewrapped++
    } catch (error) {
      done.failures.push({ place: `${account} runner key ${keyId}`, error })
    }
  }
  return done
}

async function* rewrapAccount(db: Db, keys: KeyProvider, account: string): AsyncGenerator<RewrappedPage> {
  for (let after: WrappedSecretRow | undefined; ;) {
    const rows = await listWrappedElsewhere(db, account, keys.kid, { after, limitRows: limits.rewrapRows })
    if (rows.length === 0) return
    after = rows.at(-1)
    const tried = await Promise.all(rows.map((row) => rewrapRow(keys, account, row)))
    const secrets = tried.flatMap((one) => ('secret' in one ? [one.secret] : []))
    const failures = tried.flatMap((one) => ('failure' in one ? [one.failure] : []))
    yield { rewrapped: await storeRewrapped(db, { account, kid: keys.kid, secrets }), failures }
  }
}

async function rewrapRow(keys: KeyProvider, account: string, row: WrappedSecretRow) {
  const { integration_id: integrationId, field, kid, wrapped_key: wrappedKey } = row
  try {
    const wrapped = await rewrap(keys, account, { kid, wrappedKey })
    return { secret: { integrationId, field, oldKid: kid, ...wrapped } }
  } catch (error) {
    return { failure: { place: `${account} ${integrationId} ${field}`, error } }
  }
}
