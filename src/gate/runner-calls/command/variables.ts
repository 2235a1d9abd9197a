import type { Word } from './cursor.ts'

/** Variables that the line itself has set: the value, or null where only its source was read. */
export type Scope = ReadonlyMap<string, Word | null>

const plainVariables = new Set(
  (
    'PWD OLDPWD USER LOGNAME HOME SHELL PATH LANG TERM HOSTNAME EDITOR VISUAL PAGER TZ TMPDIR CI NODE_ENV COLUMNS LINES SHLVL ' +
    'LC_ALL LC_CTYPE VIRTUAL_ENV CONDA_PREFIX JAVA_HOME GOPATH GOROOT CARGO_HOME NVM_DIR PYTHONPATH NODE_PATH ? #'
  ).split(' '),
)

/** Whether the value of a variable that the line does not set tells no secret; also of `?` and `#`. Pure. */
export const tellsNoSecret = (name: string): boolean => plainVariables.has(name)

/** Parameters of zsh that are in lower case: to set one can change which programs run. */
const zshParameters = new Set(
  (
    'path fpath cdpath manpath mailpath module_path fignore psvar watch prompt argv status pipestatus options aliases galiases ' +
    'saliases functions commands builtins parameters modules dirstack history historywords jobdirs jobtexts jobstates nameddirs ' +
    'userdirs usergroups reswords patchars signals errnos terminfo termcap funcstack funcfiletrace funcsourcetrace functrace ' +
    'widgets keymaps histchars langinfo sysparams mapfile epochtime region_highlight zle_highlight zle_bracketed_paste'
  ).split(' '),
)
/** Names that no program and no shell reads. */
const plainCapitals =
  /^([A-Z]|FILES?|DIRS?|SRC|BASE|BRANCH|COMMIT|NAME|LINE|COUNT|SHA|PKG|TOTAL|VERSION|PATTERN|TARGET)$/

/** Whether a variable has no meaning to shells and to programs that only read. Pure. */
export const isPlainVariable = (name: string): boolean =>
  plainCapitals.test(name) ||
  (/^[a-z][a-z0-9_]*$/.test(name) && !zshParameters.has(name) && !/_proxy$|^(dis_|zle_|ld_|dyld_)/.test(name))

/**
 * The value of a variable, if it stands for itself wherever the variable is: no shell splits it, and none finds wildcards in it
 * beside those that it had. Pure.
 */
export function boundValue({ text, isGlob, isOpen, zshGlob, isInput }: Word): Word | null {
  const isKnown = isOpen === 'no' && !zshGlob && !isInput
  const isPlain = (isGlob ? /^(~\/)?[\w@%+:,./*?-]+$/ : /^(~(\/|$))?[\w@%+=:,./-]*$/).test(text)
  return isKnown && isPlain && text !== '' ? { text, isGlob, isOpen: 'no', isBound: true } : null
}
