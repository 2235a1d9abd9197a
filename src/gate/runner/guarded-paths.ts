import { fold, hasFolder } from './sensitive-paths.ts'

/**
 * Folders and files that make programs run when they change, or that hold the settings of the runners and their hooks, or
 * what the runners are told.
 */
const guardedFolders = [
  '.git',
  '.claude',
  '.codex',
  '.gemini',
  '.cursor',
  '.copilot',
  '.opencode',
  '.agents',
  '.claude-plugin',
  // Workflows run with the secrets of the repository; Copilot has its hooks and servers here.
  '.github',
  ...'.gitlab .circleci .gitea .forgejo .woodpecker .buildkite .azure-pipelines'.split(' '),
  '.githooks',
  '.husky',
  ...'.vscode .idea .zed .devcontainer'.split(' '),
  // On the PATH of a shell, they stand in for commands that only read.
  ...'.venv/bin venv/bin env/bin .venv/scripts venv/scripts env/scripts node_modules/.bin'.split(' '),
  // They choose the program that a shim of mise or asdf starts: `node --version` runs it.
  ...'.mise mise/config.toml'.split(' '),
  '.config',
]

const guardedFiles = [
  '.mcp.json',
  'opencode.json',
  'opencode.jsonc',
  '.gitconfig',
  '.gitmodules',
  ...'claude.md claude.local.md agents.md agents.override.md gemini.md .cursorrules'.split(' '),
  ...'.pre-commit-config.yaml .pre-commit-config.yml .nvim.lua .nvimrc .exrc'.split(' '),
  '.bashrc',
  '.bash_profile',
  '.bash_login',
  '.bash_logout',
  '.bash_aliases',
  '.profile',
  '.zshrc',
  '.zshenv',
  '.zprofile',
  '.zlogin',
  '.zlogout',
  '.inputrc',
  '.vimrc',
  '.curlrc',
  '.wgetrc',
  '.ripgreprc',
  // With `HEAD`, `objects` and `refs` a folder is a repository whose configuration git obeys.
  'head',
  'config',
  'commondir',
]

const guardedNames = new RegExp(
  [
    String.raw`^\.?lefthook(-local)?\.(ya?ml|toml|jsonc?)$`,
    String.raw`\.code-workspace$`,
    // Pipelines run with the secrets of the repository.
    String.raw`^(\.gitlab-ci|\.woodpecker|\.travis|\.cirrus|\.?appveyor|bitbucket-pipelines|azure-pipelines.*)\.ya?ml$`,
    String.raw`^\.drone\.(ya?ml|star|jsonnet)$`,
    String.raw`^jenkinsfile(\..+)?$`,
    // A version may be a path: `path:./tools`, or `../../tools` in some versions of pyenv.
    String.raw`^\.?(mise|rtx)(\..+)?\.toml$`,
    String.raw`^\.(tool-versions|[a-z]+-version|nvmrc)$`,
  ].join('|'),
)

/** Whether a change of a path inside the working folder needs the same care as one outside. Pure. */
export function isGuardedPath(segments: string[], _below = 0): boolean {
  const folded = segments.map(fold)
  const name = folded.at(-1) ?? ''
  return hasFolder(folded, guardedFolders) || guardedFiles.includes(name) || guardedNames.test(name)
}
