/**
 * What a variable does that a repository sets in a runner: `loads` code into the shell that starts the hook, or chooses that shell;
 * selects another `folder` of settings; is a `switch` of the runner; `diverts` connections, which the hook does not let it.
 * @typedef {'loads' | 'folder' | 'switch' | 'diverts'} Effect
 */

/** @type {[Effect, RegExp][]} */
const effects = [
  [
    'loads',
    /^(LD_.*|DYLD_.*|BASH_FUNC_.*|BASH_ENV|ENV|ZDOTDIR|SHELLOPTS|BASHOPTS|PS4|IFS|PATH|SHELL|GCONV_PATH|GLIBC_TUNABLES|NODE_OPTIONS|NODE_PATH|NODE_REPL_EXTERNAL_MODULE|BUN_.*|CLAUDE_CODE_SHELL(_PREFIX)?|CLAUDE_ENV_FILE)$/,
  ],
  [
    'folder',
    /^(HOME|USERPROFILE|XDG_CONFIG_(HOME|DIRS)|CLAUDE_CONFIG_DIR|CODEX_(HOME|SQLITE_HOME)|GEMINI_(CLI_HOME|DIR|CLI_SYSTEM_SETTINGS_PATH|CLI_SYSTEM_DEFAULTS_PATH|CLI_TRUSTED_FOLDERS_PATH)|COPILOT_HOME|CURSOR_(CONFIG|DATA)_DIR|OPENCODE_CONFIG.*)$/,
  ],
  [
    'switch',
    /^(CLAUDE_CODE_(ENTRYPOINT|SIMPLE|BARE|SAFE_MODE|DISABLE_HOOKS.*|REMOTE.*)|CLAUDE_PLUGIN_ROOT|GEMINI_(SANDBOX.*|YOLO_MODE|CLI_TRUST_WORKSPACE)|OPENCODE_(PURE|DISABLE_.*|PERMISSION|BIN_PATH|FAKE_VCS))$/,
  ],
  [
    'diverts',
    /^((ALL|HTTPS?|NO|FTP)_PROXY|NODE_TLS_REJECT_UNAUTHORIZED|NODE_EXTRA_CA_CERTS|NODE_USE_ENV_PROXY|CURL_(CA_BUNDLE|HOME|SSL_BACKEND)|SSL_CERT_(FILE|DIR)|REQUESTS_CA_BUNDLE|OPENSSL_(CONF|MODULES|ENGINES)|SSLKEYLOGFILE)$/,
  ],
]

/** @param {string} name @returns {Effect | undefined} */
export const effectOf = (name) => effects.find(([, pattern]) => pattern.test(name.toUpperCase()))?.[0]

/**
 * The names of variables in a `.env` file. In doubt a line has one: a value over several lines may show more than there are.
 * @param {string} text
 * @returns {string[]}
 */
export const variablesIn = (text) =>
  text
    .replace(/^\uFEFF/, '')
    .split(/\r\n|\r|\n/)
    .flatMap((line) => /^\s*(?:export\s+)?["']?([\w.-]+)["']?\s*[=:]/.exec(line)?.[1] ?? [])
