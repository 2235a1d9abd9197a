/**
 * Runs a call to a service that is not ours, and tells how long it took and how it ended.
 * @param provider  of the closed list `slack email teams stripe mcp executor endpoint`
 * @param outcomes  of what was asked for: one, or one for each recipient
 */
export type ObserveCall = <T>(
  provider: string,
  call: () => Promise<T>,
  outcomes: (result: T) => readonly string[],
) => Promise<T>
