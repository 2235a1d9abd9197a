import { type PreviewDriver, PreviewFailure } from './driver.ts'

/** Folders that may contain a site's index.html: the workspace itself, then the usual build folders. */
const roots = ['', 'dist/', 'build/', 'out/', 'public/'] as const

/** Serves the files directly from the workspace, without a process and without a copy. */
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
    throw new PreviewFailure(
      'nothing_to_show',
      `Nothing to show was found. Add one of ${places} to the workspace.`,
    )
  },
}
