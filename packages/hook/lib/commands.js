/**
 * The commands of the entries. A runner starts them in an environment that a repository may have set, and some runners replace
 * `$NAME` in them by a variable of it: so they begin with a program by its whole path, empty the environment, and have no `$NAME`.
 */

/** Where the program is, as an entry of one machine, or of all members of a project, finds it. @typedef {string | 'shared'} Scripts */

/** The program is in the home folder that the password database names, whatever HOME says. */
export const shared = 'shared'

const fixedPath = 'PATH=/usr/bin:/bin:/run/current-system/sw/bin'

/**
 * Asks before a call. Whatever happens to the program, also when it is gone, empty or killed: exit code 2 with a reason, without
 * which Codex and Gemini run the tool. Only its exit code 10 lets the call run.
 * @param {Scripts} scripts
 * @param {string} runner
 * @param {boolean} [isHeadless]  Claude Code without a terminal says in a variable that it has none
 */
export const askCommand = (scripts, runner, isHeadless = false) =>
  isolated(
    `${program(scripts, `${runner} tool-calls`, isHeadless)}; [ $? -eq 10 ] || { echo "gate: the tool call was not allowed" >&2; exit 2; }`,
    isHeadless,
  )

/** @param {Scripts} scripts @param {string} runner */
export const reportCommand = (scripts, runner) =>
  isolated(`${program(scripts, `${runner} outcomes`)}; exit 0`)

/** @param {string} script @param {boolean} [isHeadless] */
const isolated = (script, isHeadless = false) =>
  `/usr/bin/env -i /bin/sh -c ${quoted(script)}${isHeadless ? ' gate "$CLAUDE_CODE_ENTRYPOINT"' : ''}`

/** @param {Scripts} scripts @param {string} args @param {boolean} [isHeadless] */
function program(scripts, args, isHeadless = false) {
  const all = `${args}${isHeadless ? ' "$1"' : ''}`
  if (scripts !== shared) return `/bin/sh ${quoted(`${scripts}/gate-hook.sh`)} ${all}`
  const home = '~`id -un`/.config/qualification-gate'
  return `${fixedPath}; eval "/bin/sh ${home}/gate-hook.sh ${all.replaceAll(/["$]/g, String.raw`\$&`)}"`
}

/** @param {string} text */
const quoted = (text) => `'${text.replaceAll("'", `'\\''`)}'`
