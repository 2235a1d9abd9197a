import { globMatcher } from './glob.ts'
import type { ResolvedPath } from './paths.ts'

/** Folders whose content is credentials, wherever they are. */
const credentialFolders = [
  '.ssh',
  '.aws',
  '.azure',
  '.gnupg',
  '.kube',
  '.oci',
  '.password-store',
  '.config/gcloud',
  '.config/gh',
  '.config/glab-cli',
  '.config/hub',
  '.config/op',
  '.config/github-copilot',
  'local/github-copilot',
  // With the keys of the hooks and copies of settings.
  '.config/qualification-gate',
  '.local/share/keyrings',
  'application support/gcloud',
  'library/keychains',
  'etc/ssl/private',
  'run/secrets',
]

/** The ends of paths that are credentials: folders and a name, which may be a glob. */
const credentialFiles = [
  '.env',
  '.env.*',
  '.envrc',
  '*.env',
  '.netrc',
  '_netrc',
  '.npmrc',
  '.yarnrc.yml',
  '.pypirc',
  '.pgpass',
  '.my.cnf',
  '.git-credentials',
  '.config/git/credentials',
  '.htpasswd',
  '.vault-token',
  '.credentials.json',
  '.dockercfg',
  '.docker/config.json',
  '.cargo/credentials*',
  '.gem/credentials',
  '.m2/settings.xml',
  '.gradle/gradle.properties',
  '.composer/auth.json',
  '.codex/auth.json',
  '.config/cursor/auth.json',
  'opencode/auth.json',
  'opencode/mcp-auth.json',
  '.gemini/oauth_creds.json',
  '.gemini/mcp-oauth-tokens*.json',
  '.claude.json*',
  '.copilot/config.json',
  '.terraform.d/credentials.tfrc.json',
  '.config/containers/auth.json',
  'run/user/*/containers/auth.json',
  '.config/stripe/config.toml',
  '.cache/huggingface/token',
  '.cache/huggingface/stored_tokens',
  'sops/age/keys.txt',
  'pypoetry/auth.toml',
  '.databrickscfg',
  '.s3cfg',
  '.boto',
  '.kaggle/kaggle.json',
  '.fly/config.yml',
  'rclone.conf',
  '.rclone.conf',
  'etc/shadow*',
  'etc/gshadow*',
  'etc/master.passwd',
  'etc/sudoers',
  'etc/krb5.keytab',
  'application_default_credentials.json',
  'service-account*.json',
  'id_rsa*',
  'id_dsa*',
  'id_ecdsa*',
  'id_ed25519*',
  '*.pem',
  '*.key',
  '*.p8',
  '*.p12',
  '*.pfx',
  '*.jks',
  '*.keystore',
  '*.kdbx',
  '*.ppk',
  '.*_history',
  '.history',
  '.lesshst',
  '.viminfo',
  'fish_history',
  'consolehost_history.txt',
]
/** Likewise, but not below the working folder: there they are a project's own settings and code. */
const credentialFilesOutside = [
  // The hook's key is in it.
  '.claude/settings*.json',
  ...'login data,login data-journal,login data for account,cookies,cookies-journal'.split(','),
  ...'cookies.sqlite,cookies.binarycookies,logins.json,key4.db'.split(','),
]

const exactFiles = new Set(credentialFiles.filter((path) => !path.includes('*')))
const matchersOf = (paths: string[]) => paths.map((path) => path.split('/').map(globMatcher))
const globFiles = matchersOf(credentialFiles.filter((path) => path.includes('*')))
const filesOutside = matchersOf(credentialFilesOutside)

/** Templates that a repository shares, and the public halves of keys. */
const notCredentials = [
  '.env.example',
  '.env.sample',
  '.env.template',
  '.env.dist',
  '.env.defaults',
  'id_*.pub',
].map(globMatcher)

const processFiles = ['environ', 'mem', 'fd', 'root', 'cwd', 'task', 'map_files']

/** Whether a path holds credentials, by its text. Pure. */
export function isCredentialPath({ start, segments }: ResolvedPath): boolean {
  const folded = segments.map(fold)
  const isProcess =
    start === '' && folded[0] === 'proc' && folded.some((s, i) => i > 1 && processFiles.includes(s))
  if (isProcess || hasFolder(folded, credentialFolders)) return true
  const name = folded.at(-1) ?? ''
  if (notCredentials.some((matches) => matches(name))) return false
  const isExact = [1, 2, 3].some((parts) => exactFiles.has(folded.slice(-parts).join('/')))
  return isExact || globFiles.some((parts) => endsWith(folded, parts))
}

/** Whether a path that is not below the working folder holds credentials, by its text. Pure. */
export function isCredentialOutside({ segments }: ResolvedPath): boolean {
  const folded = segments.slice(-2).map(fold)
  return filesOutside.some((parts) => endsWith(folded, parts))
}

/**
 * Whether a path that does not count as inside leads to hidden files, or to the settings of programs in a home folder: no list
 * names every file there that has a token. Pure.
 * @param around  the working folder, if the path is below it: where that is hidden itself, nothing in it is
 */
export const isHiddenOutside = (path: ResolvedPath, around: ResolvedPath | null): boolean =>
  hasHidden(path) && !(around !== null && hasHidden(around))

function hasHidden({ start, segments }: ResolvedPath): boolean {
  const folded = segments.map(fold)
  const home = start.startsWith('~') ? '~' : ''
  // On Windows a name such as `CONFIG~1` stands for a longer one.
  return (
    folded.some((name) => /^\.|^appdata$|~\d/.test(name)) || homeLibrary.test([home, ...folded].join('/'))
  )
}

const homeLibrary = /^(~|(\/private)?\/var\/root|\/root|(\/mnt\/[a-z])?\/(home|users)\/[^/]+)\/library(\/|$)/

/** Whether a path is a configuration of git, by its text: addresses in it may contain tokens. Pure. */
export function isGitConfig({ segments }: ResolvedPath): boolean {
  const name = fold(segments.at(-1) ?? '')
  if (name !== 'config' && name !== 'config.worktree') return name === '.gitconfig'
  const folders = segments.slice(0, -1).map(fold)
  return folders.includes('.git') || hasFolder(folders.slice(-2), ['.config/git'])
}

const credentialStarts = [
  'id_',
  'service-account',
  'application_default',
  'auth.',
  'oauth_creds',
  'credentials',
  'secrets',
]

/**
 * Whether a path with wildcards inside the working folder may stand for credentials: not where the name has a plain ending, no
 * folder is hidden, and its start is none of a known name. Pure.
 */
export function mayMatchCredentials(segments: string[]): boolean {
  const folded = segments.map((segment) => segment.normalize('NFKC').toUpperCase().toLowerCase())
  if (folded.some((segment) => segment.startsWith('.'))) return true
  const name = folded.at(-1) ?? ''
  const start = /^[^*?[]*/.exec(name)![0]
  if (start === name) return false
  const ending = /\.([a-z0-9]+)$/.exec(name)?.[1]
  if (ending === undefined || secretEndings.test(ending)) return true
  const holdsSettings = ['json', 'txt', 'yml', 'yaml', 'toml', 'xml'].includes(ending)
  return holdsSettings && credentialStarts.some((known) => known.startsWith(start) || start.startsWith(known))
}

const secretEndings = /^(env|key|pem|p8|p12|pfx|jks|keystore|kdbx|ppk)$/

/** Whether a glob of a search stands only for files of one or more plain endings. Pure. */
export const isHarmlessGlob = (glob: string): boolean =>
  /^(\*\*\/)?([A-Za-z0-9][\w-]*\/)*(\*\*\/)?\*\.(\w+|\{[\w,]+\})$/.test(glob) &&
  !glob.split(/[.{},]/).some((part) => secretEndings.test(part.toLowerCase()))

/** One spelling for the names that a file system may take for the same. */
export function fold(segment: string): string {
  if (plainName.test(segment)) return segment.toLowerCase()
  const name = segment.normalize('NFKC').toUpperCase().toLowerCase()
  return (/^[^:]+(?=:)/.exec(name)?.[0] ?? name).replace(/(?<=[^. ])[. ]+$/, '')
}

/** ASCII without a colon, which ends in neither a dot nor a space: only its case can differ. */
const plainName = /^[!-9;-~]*[!-\-/-9;-~]$/

/** Whether one of some folders, each in lower case and with one or more segments, is on a path. */
export const hasFolder = (segments: string[], folders: string[]): boolean => {
  const path = `/${segments.join('/')}/`
  return folders.some((folder) => path.includes(`/${folder}/`))
}

const endsWith = (segments: string[], parts: ((text: string) => boolean)[]): boolean =>
  parts.length <= segments.length &&
  parts.every((matches, i) => matches(segments[segments.length - parts.length + i]!))
