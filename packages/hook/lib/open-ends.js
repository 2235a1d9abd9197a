/** @typedef {import('./index.js').Finding} Finding */
/** @typedef {import('./place.js').Located} Located */

/**
 * What a hook cannot prevent.
 * @param {Located} place
 * @param {{isManaged?: boolean}} [given]
 * @returns {Finding[]}
 */
export const openEnds = ({ runner }, { isManaged = false } = {}) =>
  [...open[runner], ...(isManaged ? [] : [everyRunner])].map((detail) => ({
    check: 'not blocked',
    verdict: 'note',
    detail,
  }))

const everyRunner =
  'Anyone who can edit these files can take the hook out: install it for the machine (--managed), and keep credentials that matter behind the gate'

/** @type {Record<import('./index.js').Runner, string[]>} */
const open = {
  claude: [
    'The user can turn hooks off with disableAllHooks, --bare or --safe-mode, unless an administrator installed them (--managed)',
  ],
  codex: [
    'Codex skips the hook until you trust it: start codex and enter /hooks. Check it with doctor --live',
    'The user can turn hooks off with -c features.hooks=false, unless an administrator installed and pinned them (--managed)',
  ],
  gemini: [
    'The user can turn hooks off with hooksConfig.enabled',
    "A project's hooks are skipped in a folder that is not trusted",
  ],
  cursor: ['A version of Cursor without failClosed runs the tool when the hook cannot be started'],
  copilot: [
    'Copilot runs the tool when a hook takes longer than its limit. The hook gives up and blocks 20 seconds before that',
  ],
  opencode: [
    'The user can start OpenCode without plugins (--pure)',
    'OpenCode runs the plugins of a repository in its own process: they can do what they like',
  ],
}
