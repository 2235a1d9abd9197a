/** @typedef {import('./index.js').Finding} Finding */

/** @type {Record<Finding['verdict'], string>} */
const words = { blocks: 'blocks', ok: 'ok', fails: 'FAILS', note: 'note' }

/** @type {typeof import('./index.js').reportText} */
export function reportText({ files, findings, is_gating: isGating, runner }) {
  const summary = isGating
    ? `Every tool call of ${runner} that was tried here is blocked when it must be.`
    : `${runner} is not gated: see the lines with FAILS.`
  return [
    ...files.map(({ path, change }) => `${change.padEnd(10)}${path}`),
    ...(files.length > 0 && findings.length > 0 ? [''] : []),
    ...findings.map(
      ({ check, verdict, detail }) => `${words[verdict].padEnd(8)}${check.padEnd(18)}${printable(detail)}`,
    ),
    ...(findings.length > 0 ? ['', summary] : []),
  ].join('\n')
}

/** @type {typeof import('./index.js').removalText} */
export const removalText = ({ files }) =>
  files.map(({ path, change }) => `${change.padEnd(10)}${path}`).join('\n')

/** @type {typeof import('./index.js').managedText} */
export const managedText = ({ files, notes }) =>
  [
    ...files.map(({ path, mode, content }) => `# ${path} (owner root, mode ${mode})\n${content.trimEnd()}`),
    notes.map((note) => `# ${note}`).join('\n'),
  ].join('\n\n')

// eslint-disable-next-line no-control-regex
const printable = (/** @type {string} */ text) => text.replaceAll(/[\u0000-\u001f\u007f-\u009f]/g, ' ')
