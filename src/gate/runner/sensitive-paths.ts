import { matchesGlob } from './glob.ts'
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
].map((path) => path.split('/'))

/** Templates that a repository shares, and the public halves of keys. */
const notCredentials = [
  '.env.example',
  '.env.sample',
  '.env.template',
  '.env.dist',
  '.env.defaults',
  'id_*.pub',
]

const processFiles = ['environ', 'mem', 'fd', 'root', 'cwd', 'task', 'map_files']

/** Whether a path holds credentials, by its text. Pure. */
export function isCredentialPath({ start, segments }: ResolvedPath): boolean {
  const folded = segments.map(fold)
  const isProcess =
    start === '' && folded[0] === 'proc' && folded.some((s, i) => i > 1 && processFiles.includes(s))
  if (isProcess || hasFolder(folded, credentialFolders)) return true
  const name = folded.at(-1) ?? ''
  if (notCredentials.some((known) => matchesGlob(known, name))) return false
  return credentialFiles.some((parts) => endsWith(folded, parts))
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
  // With this file, `objects` and `refs` a folder is a repository whose configuration git obeys.
  'head',
]

/** Whether a change of a path inside the working folder needs the same care as one outside. Pure. */
export function isGuardedPath(segments: string[]): boolean {
  const folded = segments.map(fold)
  return hasFolder(folded, guardedFolders) || guardedFiles.includes(folded.at(-1) ?? '')
}

const sampleNames = (
  '.. .ssh .aws .gnupg .kube .config .docker .env .env.local .netrc .npmrc .pypirc .bash_history .zsh_history .git-credentials .pgpass ' +
  'prod.env server.pem server.key a.pem a.key id_rsa id_ed25519 id_ecdsa shadow environ a.p12 a.pfx a.jks auth.json credentials'
).split(' ')

/** Whether a path with wildcards may stand for credentials. Pure. */
export function mayMatchCredentials(segments: string[]): boolean {
  return segments.map(fold).some((segment, i) => {
    if (!/[*?[]/.test(segment)) return false
    const glob = segment.replace(/\[.*$/s, '*')
    // A wildcard at the start does not match a leading dot.
    if (glob.startsWith('.')) return sampleNames.some((name) => matchesGlob(glob, name))
    return (
      i === segments.length - 1 &&
      sampleNames.some((name) => !name.startsWith('.') && matchesGlob(glob, name))
    )
  })
}

/** Whether a glob of a search stands only for files of one or more plain endings. Pure. */
export const isHarmlessGlob = (glob: string): boolean =>
  /^(\*\*\/)?([A-Za-z0-9][\w-]*\/)*(\*\*\/)?\*\.(\w+|\{[\w,]+\})$/.test(glob) &&
  !/[.{,](env|key|pem|p12|pfx|jks|keystore|kdbx|ppk)\b/i.test(glob)

/** One spelling for the names that a file system may take for the same. */
function fold(segment: string): string {
  const name = segment.normalize('NFKC').toUpperCase().toLowerCase()
  return (/^[^:]+(?=:)/.exec(name)?.[0] ?? name).replace(/(?<=[^. ])[. ]+$/, '')
}

const hasFolder = (segments: string[], folders: string[]): boolean => {
  const path = `/${segments.join('/')}/`
  return folders.some((folder) => path.includes(`/${folder}/`))
}

const endsWith = (segments: string[], parts: string[]): boolean =>
  parts.length <= segments.length &&
  parts.every((part, i) => matchesGlob(part, segments[segments.length - parts.length + i]!))
