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
  '.config/hub',
  '.config/op',
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
  'opencode/auth.json',
  '.gemini/oauth_creds.json',
  '.claude.json',
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
const exactFiles = new Set(credentialFiles.filter((path) => !path.includes('*')))
const globFiles = credentialFiles
  .filter((path) => path.includes('*'))
  .map((path) => path.split('/').map(globMatcher))

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
  const isExact = exactFiles.has(name) || exactFiles.has(folded.slice(-2).join('/'))
  return isExact || globFiles.some((parts) => endsWith(folded, parts))
}

/** Folders and files that make programs run when they change, or that hold the settings of the runners and their hooks. */
const guardedFolders = [
  '.git',
  '.claude',
  '.codex',
  '.gemini',
  '.cursor',
  '.copilot',
  '.opencode',
  '.github/hooks',
  '.vscode',
  '.husky',
  '.config',
]

const guardedFiles = [
  '.mcp.json',
  'opencode.json',
  'opencode.jsonc',
  '.gitconfig',
  '.gitmodules',
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

/** Whether a change of a path inside the working folder needs the same care as one outside. Pure. */
export function isGuardedPath(segments: string[]): boolean {
  const folded = segments.map(fold)
  return hasFolder(folded, guardedFolders) || guardedFiles.includes(folded.at(-1) ?? '')
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

const secretEndings = /^(env|key|pem|p12|pfx|jks|keystore|kdbx|ppk)$/

/** Whether a glob of a search stands only for files of one or more plain endings. Pure. */
export const isHarmlessGlob = (glob: string): boolean =>
  /^(\*\*\/)?([A-Za-z0-9][\w-]*\/)*(\*\*\/)?\*\.(\w+|\{[\w,]+\})$/.test(glob) &&
  !glob.split(/[.{},]/).some((part) => secretEndings.test(part.toLowerCase()))

/** One spelling for the names that a file system may take for the same. */
function fold(segment: string): string {
  if (plainName.test(segment)) return segment.toLowerCase()
  const name = segment.normalize('NFKC').toUpperCase().toLowerCase()
  return (/^[^:]+(?=:)/.exec(name)?.[0] ?? name).replace(/(?<=[^. ])[. ]+$/, '')
}

/** ASCII without a colon, which ends in neither a dot nor a space: only its case can differ. */
const plainName = /^[!-9;-~]*[!-\-/-9;-~]$/

const hasFolder = (segments: string[], folders: string[]): boolean => {
  const path = `/${segments.join('/')}/`
  return folders.some((folder) => path.includes(`/${folder}/`))
}

const endsWith = (segments: string[], parts: ((text: string) => boolean)[]): boolean =>
  parts.length <= segments.length &&
  parts.every((matches, i) => matches(segments[segments.length - parts.length + i]!))
