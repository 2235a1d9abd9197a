/** An address for people, below the public URL of the service. */
export const publicLink = (deps: { publicUrl(): string }, path: string): string =>
  joinPath(deps.publicUrl(), path)

/** Joins a base URL and a path. */
export const joinPath = (base: string, path: string): string => base.replace(/(?<!\/)\/+$/, '') + path
