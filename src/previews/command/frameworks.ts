/** How to tell a site server where to listen, and the folders that it must write to. */
export interface Framework {
  /** Its arguments for host and port. */
  listen(host: string, port: number): string[]
  /** The first arguments with which it serves a site; '' means no argument. Absent: all. */
  serves?: string[]
  /** Folders of the workspace that it writes to. */
  writes: string[]
}

const longFlags = (host: string, port: number) => ['--host', host, '--port', String(port)]
const shortFlags = (host: string, port: number) => ['-H', host, '-p', String(port)]
const viteWrites = ['node_modules/.vite', 'node_modules/.vite-temp']

/** By the program name in a script. Other programs run unchanged and must read PORT and HOST. */
export const frameworks: Partial<Record<string, Framework>> = {
  vite: {
    listen: (host, port) => [...longFlags(host, port), '--strictPort'],
    serves: ['', 'dev', 'serve', 'preview'],
    writes: viteWrites,
  },
  next: { listen: shortFlags, serves: ['dev', 'start'], writes: ['.next'] },
  astro: {
    listen: longFlags,
    serves: ['', 'dev', 'start', 'preview'],
    writes: ['.astro', 'node_modules/.astro', ...viteWrites],
  },
  nuxt: {
    listen: longFlags,
    serves: ['dev', 'preview', 'start'],
    writes: ['.nuxt', 'node_modules/.cache', ...viteWrites],
  },
  'react-scripts': { listen: () => [], serves: ['start'], writes: ['node_modules/.cache'] },
  serve: { listen: (host, port) => ['--listen', `tcp://${host}:${port}`], writes: [] },
  'http-server': { listen: (host, port) => ['-a', host, '-p', String(port)], writes: [] },
}
