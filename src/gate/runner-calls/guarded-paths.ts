import { isForm } from './secret-names.ts'
import { fold, hasFolder, isCredentialPath } from './sensitive-paths.ts'

/** On the PATH of a shell, programs in them stand in for commands that only read. mise says which program a name starts. */
const programFolders = ['venv/bin', 'env/bin', 'venv/scripts', 'env/scripts', 'mise/config.toml']

/** With `HEAD`, `objects` and `refs` a folder is a repository whose configuration git obeys. */
const repositoryFiles = ['head', 'config', 'commondir']

/** Files that make programs run when they change, or that say what runners do, or what they are told. */
const guardedNames = new RegExp(
  [
    String.raw`^lefthook(-local)?\.(ya?ml|toml|jsonc?)$`,
    String.raw`\.(code-workspace|sublime-project)$|^_vimrc$`,
    // Pipelines and hosts build with the secrets of the repository.
    String.raw`^(appveyor|bitbucket-pipelines|azure-pipelines.*)\.ya?ml$`,
    String.raw`^jenkinsfile(\..+)?$`,
    String.raw`^(cloudbuild|buildspec|amplify|render|heroku|codemagic|bitrise|codefresh|wercker|circle)([-_.].+)?\.(ya?ml|json)$`,
    String.raw`^(netlify|fly|railway|wrangler|vercel|now|firebase)([-_.].+)?\.(toml|jsonc?)$`,
    String.raw`^(procfile|tiltfile|vagrantfile|guardfile|dangerfile|capfile|brewfile|fastfile|appfile|matchfile|earthfile|captain-definition)(\..+)?$`,
    String.raw`^(app|cron|dispatch|skaffold|garden|devspace|okteto|werf|serverless|samconfig|apprunner|appspec|pulumi|nixpacks|railpack|zeabur|process-compose|mprocs|helmfile|draft|encore|space|action)([-_.][\w-]+)?\.(ya?ml|toml)$`,
    String.raw`^(cdk|dagger|railpack|nodemon|renovate|ecosystem\.config|simple-git-hooks)\.(json5?|[cm]?js)$|^bacon\.toml$|^project\.toml$|^supervisord\.conf$|^crontab$|^lint-staged\.config\.[cm]?[jt]s$`,
    // Python runs these when it starts.
    String.raw`^(site|user)customize\.py$|^_manylinux\.py$|\.pth$`,
    // A version may be a path: `path:./tools`, or `../../tools` in some versions of pyenv.
    String.raw`^(mise|rtx)(\..+)?\.toml$`,
    String.raw`^(rust-toolchain(\.toml)?|global\.json|devbox\.json|(flake|shell|devenv|default|replit)\.nix|devenv\.yaml)$`,
    String.raw`^(gradle|maven)-wrapper\.(jar|properties)$`,
    // Files that tell package managers where to look for packages, or that they load themselves.
    String.raw`^(bunfig\.toml|uv\.toml|pip\.(conf|ini)|pnpm-workspace\.ya?ml|pnpmfile\.[cm]?js|nuget\.config)$`,
    // Instructions of agents, and the servers that they start.
    String.raw`^(agents?|claude|gemini|codex|qwen|crush|warp|iflow|opencode|skill|copilot-instructions)(\.[a-z-]+)?\.md$`,
    String.raw`\.(mdc|(instructions|chatmode|prompt|agent)\.md)$`,
    String.raw`^(mcp([-_.](config|servers|settings))?|claude_desktop_config|opencode|crush|gemini-extension)\.jsonc?$`,
  ].join('|'),
)

/** Settings of linters, formatters and tests, and lists of files: they run nothing by themselves. */
const plainHiddenNames = new RegExp(
  [
    String.raw`^\.(git|hg|docker|npm|yarn|vercel|gcloud|helm|cf|slug|eb|func|vscode|terraform|eleventy|(es|style|ox|markdown|js|html|ansible-|swift)lint|prettier|ruff|nodemon|watchman)ignore$`,
    String.raw`^\.(git)?keep$|^\.(editorconfig|browserslistrc|nojekyll|mailmap|git-blame-ignore-revs|eslintcache|stylelintcache)$`,
    String.raw`^\.(eslint|prettier|stylelint|oxlint|oxfmt|biome|markdownlint|textlint|htmlhint|jshint|csslint|remark|commitlint|cspell|ls-lint|babel|swc|mocha|nyc|c8|jest|vitest|ava|tap)(-cli2)?(rc)?(\..+)?$`,
    String.raw`^\.(rubocop(_todo)?|rspec|simplecov|yardopts|reek|pylintrc|ruff|flake8|isort|mypy|bandit|coverage(rc)?|clang-(format|tidy)|golangci|yamllint|hadolint|shellcheckrc|tflint|swiftlint|swift-?format|rustfmt|formatter|credo|php[-_]cs([-_]fixer)?|scala(fmt|fix)|codespellrc|typos|vale)(\..+)?$`,
    String.raw`\.(log|te?mp|sw[op]|snap|png|jpe?g|svg)$`,
  ].join('|'),
)
/** Pages, stories, copies of the repository, and what builds leave behind. */
const plainHiddenFolders =
  /^\.(storybook|vitepress|vuepress|docusaurus|changeset|well-known|cache|next|nuxt|output|svelte-kit|turbo|parcel-cache|pytest_cache|nyc_output|coverage|te?mp|scratch|[a-z-]*trees?)$/

/** Whether a change of a path inside the working folder needs the same care as one outside. Pure. */
export function isGuardedPath(segments: string[]): boolean {
  const folded = segments.map(fold)
  const name = folded.at(-1) ?? ''
  const isNamed = guardedNames.test(name) || repositoryFiles.includes(name)
  return (
    isNamed ||
    hasFolder(folded, programFolders) ||
    folded.some(isHiddenSetting) ||
    segments.some(namesAnother)
  )
}

/**
 * Whether a name is an option, or with white space that of another file, too, where a list of names is split into words, as `xargs`
 * and `$(…)` do it: `-r.ts`, `a .env b.ts`, and `x /etc/hosts` in a folder whose name ends in a space.
 */
const namesAnother = (segment: string): boolean =>
  /(?:^|\s)-\S*\.|\s$/.test(segment) ||
  (/\s/.test(segment) &&
    segment.split(/\s+/).some((word) => word !== '' && isCredentialPath({ start: '~', segments: [word] })))

/** Programs and agents look for their settings below a dot. */
const isHiddenSetting = (segment: string, at: number, { length }: string[]): boolean =>
  segment.startsWith('.') &&
  !plainHiddenFolders.test(segment) &&
  !(at === length - 1 && (plainHiddenNames.test(segment) || isForm(segment)))
