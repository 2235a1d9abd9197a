/** How a program that serves a site is told where to listen, and where it insists on writing. */
export interface Framework {
  /** Its arguments for host and port. */
  listen(host: string, port: number): string[]
  /** Only with these first arguments: others do not serve. All, where it is absent; '' is no argument. */
  serves?: string[]
  /** Folders of the workspace it writes to. */
  writes: string[]
}

const longFlags = (host: string, port: number) => ['--host', host, '--port', String(port)]
const shortFlags = (host: string, port: number) => ['-H', host, '-p', String(port)]
const viteWrites = ['node_modules/.vite', 'node_modules/.vite-temp']

/** By the name of the program in a script. What is not here runs as it stands and goes by PORT and HOST. */
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
