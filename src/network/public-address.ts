/** The base of links that lead to this service. */
export interface PublicAddress {
  /** @throws Error where it is not decided yet */
  publicUrl(): string
  /** Sets the address where the API of this process listens. It decides `publicUrl` if PORT is 0. */
  listensAt(url: string): void
}

/**
 * Decides the base of links once.
 * @param configured  by PUBLIC_URL, or HOST and PORT; undefined with PORT 0: then where the API of this process listens
 */
export function publicAddress(configured: string | undefined): PublicAddress {
  let decided = configured
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
}: Pick<PublicAddress, 'publicUrl'> & {
  config: { PUBLIC_URL?: string | undefined }
  log: { warn(line: string): void }
}): void {
  const url = base()
  if (config.PUBLIC_URL === undefined)
    log.warn(
      `PUBLIC_URL is not set. Links from this process lead to ${url}. Set PUBLIC_URL to the address at which people reach the API.`,
    )
}

const unknownAddress =
  'PUBLIC_URL must be set if PORT is 0, because every link contains the address of the API.'
