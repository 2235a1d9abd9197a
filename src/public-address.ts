import { type Config, publicUrl } from './config.ts'
import type { Deps } from './deps.ts'

/** Decides the base of links once: PUBLIC_URL; otherwise HOST and PORT; with PORT 0, where the API of this process listens. */
export function publicAddress(config: Config): Pick<Deps, 'publicUrl' | 'listensAt'> {
  let decided = publicUrl(config)
  return {
    publicUrl() {
      if (decided === undefined) throw new Error(unknownAddress)
      return decided
    },
    listensAt: (url) => void (decided ??= url),
  }
}

/**
 * For a process that sends links: warns if their base is a guess.
 * @throws Error if PORT is 0, PUBLIC_URL is not set, and no API listens here
 */
export function warnOfGuess({
  config,
  log,
  publicUrl: base,
}: Pick<Deps, 'config' | 'log' | 'publicUrl'>): void {
  const url = base()
  if (config.PUBLIC_URL === undefined)
    log.warn(
      `PUBLIC_URL is not set. Links from this process lead to ${url}. Set PUBLIC_URL to the address at which people reach the API.`,
    )
}

const unknownAddress =
  'PUBLIC_URL must be set if PORT is 0, because every link contains the address of the API.'
