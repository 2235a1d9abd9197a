import type { Config } from '../config.ts'
import type { Network } from '../executors/guarded-request.ts'
import type { ChannelUse, DeliveryChannel } from './ports.ts'

/** What a channel is opened with: a credential of the environment, or one that an account connected. */
export interface Sender {
  /** A token, a key, or the address of a mail server with user and password. */
  secret: string
  /** `Name <address>`, for e-mail. */
  from?: string | undefined
  /** The account that connected it; absent: it is the service's own. */
  account?: string | undefined
}

/** Where providers are: as configured, or the stand-ins at an address. */
export interface Place {
  config: Config
  sandboxUrl: string | undefined
  /** How addresses that accounts name are reached. */
  network: Network
}

/** A provider that delivers messages: one folder, and one line in `channelProviders`. */
export interface ChannelProvider {
  /** What it delivers through: an account uses one provider of each channel. */
  channel: ChannelUse
  /** The service's own sender; undefined where the environment has none. */
  ofEnvironment(config: Config): Sender | undefined
  /** What is wrong with the configured address of the provider, if it has one; checked when a process starts. */
  requireAddress?(config: Config): void
  /** @throws Error where the sender cannot be used at all */
  open(sender: Sender, place: Place): DeliveryChannel
  /** Asks whether a credential is good, without sending anything. Absent: nobody enters one. */
  check?(sender: Sender, place: Place): Promise<CredentialCheck>
}

/**
 * What a provider says of a credential. `refused`: it is not good; `unavailable`: the provider could not be asked; `says`: in
 * the provider's own words, safe to show.
 */
export type CredentialCheck =
  | 'ok'
  | { refused: string; says?: string }
  | { unavailable: string; says?: string }

/** A path is appended to the base, so it must not have a query or fragment. @throws Error with the variable */
export function requireBase(variable: string, base: string | undefined): void {
  const { search, hash, username, password } = new URL(base ?? 'https://absent.invalid')
  if (search || hash || username || password)
    throw new Error(`${variable} must be a base address, without query, fragment or credentials.`)
}
