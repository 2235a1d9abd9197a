/** What a source of a Temporal server may use. Everything can be replaced, so that each source can be tried without a network. */
export type SourceContext = {
  env: NodeJS.ProcessEnv
  /** the per-user directory for programs */
  cacheDir: string
  log: (line: string) => void
  /** where the SDK's download asks for the archive */
  downloadBase: string
  /** without a byte for so long, a download is given up */
  stallMs: number
  /** the longest time a whole download or a build may take */
  fetchMs: number
  /** how often a long step says that it goes on */
  progressMs: number
}
