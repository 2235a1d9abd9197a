/**
 * Whether an error says that the database of a Temporal development server is stuck: its SQLite driver answers every statement,
 * a read too, as the one that was cancelled. Only a restart of that server ends it.
 * @param error  of a call without the client's retries, which hide the reason behind the deadline
 */
export function isInterrupted(error: unknown): boolean {
  return /\binterrupted \(9\)/.test(String((error as { details?: string }).details ?? error))
}
