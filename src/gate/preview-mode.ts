/** `static`: the built files are served as they are. `command`: the built program runs inside a sandbox. */
export const previewModes = ['static', 'command'] as const
export type PreviewMode = (typeof previewModes)[number]
