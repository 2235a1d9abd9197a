import { type PreviewDriver, PreviewFailure } from './driver.ts'

/** Where a site's index.html may lie: what has no build step, then where builds put theirs. */
const roots = ['', 'dist/', 'build/', 'out/', 'public/'] as const

/** Shows the files as they are, through the reader that everything else of a workspace goes through: no process, no copy. */
export const staticDriver: PreviewDriver = {
  mode: 'static',
  probe: async () => ({ isAvailable: true }),
  async start({ files }) {
    for (const root of roots) {
      if (!(await files.stat(`${root}index.html`))) continue
      return {
        target: { kind: 'files', files, root },
        ended: new Promise(() => {}),
        logTail: () => '',
        stop: async () => undefined,
      }
    }
    const places = roots.map((root) => `${root}index.html`).join(', ')
    throw new PreviewFailure('nothing_to_show', `The workspace has none of ${places}.`)
  },
}
