import { namesSecret } from '../secret-names.ts'
import { tellsNoSecret } from './variables.ts'

const words = (text: string): Set<string> => new Set(text.split(' '))

const networkCommands = words(
  'curl wget wget2 http https xh httpie aria2c ssh scp sftp slogin rsync nc ncat netcat socat telnet ftp tftp lftp ' +
    'ping ping6 dig nslookup host drill whois traceroute tracepath mtr nmap ssh-copy-id autossh mosh rclone ' +
    'openssl-s_client croc ngrok cloudflared bore wscat websocat grpcurl mail mailx sendmail mutt',
)
const publishers = words('npm pnpm yarn bun cargo gem twine poetry flit hatch uv pdm')

/** npm takes the start of a command's name for all of it. */
const publishes = /^(publ|publi|publis|publish|pub|upload|push)$/

/** Whether an argument may be the command itself: before it stand options alone, and what may be their values. */
const isSubcommand = (args: string[], at: number): boolean =>
  args
    .slice(0, at)
    .every(
      (arg, i) => /^[-+]/.test(arg) || (args[i - 1]?.startsWith('-') && !/^(run|exec|x|test)$/.test(arg)),
    )

/** Whether a command uses the network. What installs packages runs their programs, and is not here. Pure. */
export function isNetworkCommand(name: string, args: string[]): boolean {
  if (publishers.has(name)) return args.some((arg, at) => publishes.test(arg) && isSubcommand(args, at))
  return networkCommands.has(name) || (name === 'openssl' && args[0] === 's_client')
}

/** Commands that show stores of secrets. */
const secretStores = words('security secret-tool pass')

/** Whether a command shows secrets of the process or of a store of them. Pure. */
export const showsSecrets = (name: string, args: string[]): boolean =>
  secretStores.has(name) ||
  (name === 'printenv' && args.some((arg) => !arg.startsWith('-') && namesSecret(arg)))

/** Whether a command shows pages of the manual, by their names: it starts a pager only for a terminal. Pure. */
export const showsPagesOnly = (name: string, args: string[]): boolean =>
  name === 'man' && args.length > 0 && args.every((arg) => /^(-[kf]|\w[\w.+-]*)$/.test(arg))

/** Whether of all variables only lines of some are shown that tell no secret: `env | grep PATH`, `printenv | grep ^LANG=`. Pure. */
export function showsPlainVariables(name: string, args: string[], [filter, ...options]: string[]): boolean {
  if (!/^(env|printenv)$/.test(name) || args.length > 0 || filter !== 'grep') return false
  const pattern = options.at(-1) ?? ''
  const isNamed = pattern === 'PATH' || (/^\^\w+=$/.test(pattern) && tellsNoSecret(pattern.slice(1, -1)))
  return isNamed && options.slice(0, -1).every((option) => option === '-E' || option === '-w')
}

const shells = words('sh bash rbash zsh dash ksh mksh oksh yash ash fish csh tcsh nu xonsh elvish')

/** Whether a program is a shell. Pure. */
export const isShell = (name: string): boolean => shells.has(baseName(name))

/** The text that a shell is given to run: the first operand where `-c` is among the options before it; null: none. Pure. */
export function scriptOf(name: string, args: string[]): string | null {
  if (name === 'eval') return (args[0] === '--' ? args.slice(1) : args).join(' ')
  if (!isShell(name)) return null
  const option = args.findIndex(
    (arg) => (/^-[A-Za-z]+$/.test(arg) && arg.includes('c')) || /^--command(=|$)/.test(arg),
  )
  if (option < 0) return null
  if (args[option]!.startsWith('--command=')) return args[option]!.slice('--command='.length)
  for (let at = option; at < args.length; at++) {
    const arg = args[at]!
    if (arg === '--') return args[at + 1] ?? null
    if (!/^[-+]./.test(arg)) return arg
    // The name of a setting follows.
    if (/^[-+]\w*[oO]$/.test(arg)) at++
  }
  return null
}

const baseName = (name: string): string => name.slice(name.lastIndexOf('/') + 1)

/**
 * Programs that tell their version or usage, by the one argument that asks for it. Not here: those that load files of the folder
 * first, as `yarn`, `pnpm`, `dotnet`, `bundle`, `mvn` and, where an environment lists the folder, `pip`.
 */
const versioned = {
  '--version': words(
    'node npm npx deno bun python python3 ruby gem perl php lua java javac jar gradle kotlinc scalac cargo rustc rustup rustfmt uv gcc g++ clang clang++ cc c++ ld as make cmake ' +
      'ninja meson docker podman git gh glab psql mysql sqlite3 redis-cli rg fd jq yq curl wget wget2 rsync nmap aria2c http https ' +
      'xh httpie mosh rclone whois lftp websocat bash zsh fish grep sed tar gzip ls cat find diff sort awk gawk less vim nvim ' +
      'emacs nano tmux screen swift ghc julia R ocaml zig nim crystal shellcheck shfmt hadolint ffprobe brew apt dpkg rpm systemctl helm minikube kind k3d kustomize ' +
      'bat delta fzf hyperfine tokei scc cloc direnv just protoc buf objdump readelf nm strip ldd file tree cut head tail wc',
  ),
  '-V': words('ssh python python3 cargo rustc uv make rg fd tmux socat rsync zip curl wget host'),
  '-v': words('node npm npx ruby gem perl php lua gcc g++ clang clang++ git nginx dig'),
  '-version': words('java javac ffmpeg ffprobe sqlite3 nslookup'),
  '--help': words(
    'curl wget rsync nmap aria2c http xh rclone git node python python3 jq rg fd tar grep sed find sort gzip',
  ),
  // `go` may fetch the version of itself that `go.mod` names: a program of its makers, whose digest it checks.
  version: words('go git openssl hugo zig helm kustomize'),
  '-dumpversion': words('gcc g++ cc clang'),
}

/** Whether a command only tells the version or the usage of a known program. Pure. */
export const tellsVersion = (name: string, [form = '', ...more]: string[]): boolean =>
  more.length === 0 && Object.hasOwn(versioned, form) && versioned[form as keyof typeof versioned].has(name)
