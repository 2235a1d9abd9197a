import { readCommands } from '../reading/read-commands.ts'
import { programOf } from './run-by-others.ts'

// Programs that start others behind options of their own, which are not known here: each word may be the first of a command.

const words = (text: string): string[] => text.split(' ')

/** They start what stands in their arguments. */
const wrappers = new Set(
  words(
    'firejail bwrap nsenter setpriv capsh gosu su-exec chpst setuidgid envdir softlimit cpulimit dumb-init tini catchsegv valgrind ' +
      'perf gdb lldb rr heaptrack hyperfine entr watchexec chokidar concurrently dotenv dotenvx op aws-vault chamber sops doppler ' +
      'infisical teller envchain xvfb-run dbus-run-session dbus-launch ssh-agent sg machinectl systemd-nspawn systemd-inhibit ' +
      'eatmydata faketime rlwrap tmux screen wsl nix-shell guix distrobox toolbox apptainer singularity flatpak-spawn daemonize ' +
      'start-stop-daemon i3-msg lxc-attach proot fakechroot unshare corepack mprocs overmind foreman honcho with-contenv s6-setuidgid',
  ),
)
/** They do so behind one of these words. */
const wrappersAfter: Record<string, string[]> = {
  ...Object.fromEntries(
    words(
      'docker podman nerdctl finch docker-compose podman-compose kubectl oc crictl lxc incus multipass',
    ).map((name) => [name, words('run exec debug start')]),
  ),
  ...Object.fromEntries(
    words(
      'poetry uv pipenv pdm hatch rye pixi conda mamba micromamba tox nox volta fnm nvm mise rtx asdf rbenv pyenv nodenv jenv',
    ).map((name) => [name, words('run exec x shell')]),
  ),
  ...Object.fromEntries(words('npm pnpm yarn bun').map((name) => [name, words('exec x dlx')])),
  bundle: ['exec'],
  composer: ['exec'],
  cargo: ['watch'],
  nix: words('run shell develop -c --command'),
  vagrant: words('ssh -c'),
  limactl: ['shell'],
  colima: ['ssh'],
  minikube: ['ssh'],
  direnv: ['exec'],
  devbox: words('run shell'),
  flatpak: ['run'],
  heroku: words('run local'),
  fly: words('ssh console'),
  fd: words('-x -X --exec --exec-batch'),
  fdfind: words('-x -X --exec --exec-batch'),
  find: words('-exec -execdir -ok -okdir'),
  git: words(
    'run foreach -x --exec filter-branch for-each-repo --extcmd --tree-filter --index-filter --msg-filter --env-filter',
  ),
  nodemon: words('--exec -x'),
}
/** What stands behind `--` is for a script or a program of the project. */
const takesWords = new Set(
  words(
    'make gmake just task rake go dotnet deno node python python3 ruby php jest vitest pytest mvn gradle nx turbo',
  ),
)

/** An option with its value. A command is the value of `--exec=`, `--checkpoint-action=exec=` and `--compress-program=`. */
const optionWithValue = /^--?([a-z-]+)=(.+)$/s
const namesCommand = /exec|comm|cmd|prog|run|call|hook|filter/
/** An option with a value that may be called as a program. */
const namingOption =
  /^--?(net|network|network-alias|pid|ipc|uts|userns|name|hostname|add-host|label|user|env|service)$/

/** What the arguments of a program may start: commands, each with all words after it, and texts for a shell. */
export interface StartedWithin {
  commands: { name: string; args: string[] }[]
  scripts: string[]
}

/** The commands that may stand in the arguments of a program; none where it is no wrapper. Pure. */
export function startedWithin(name: string, args: string[]): StartedWithin {
  const given = startedBehind(programOf(name), args)
  const values = args.flatMap((arg) => {
    const [, option = '', value = ''] = optionWithValue.exec(arg) ?? []
    return namesCommand.test(option) || value.startsWith('exec=') ? [value] : []
  })
  return {
    commands: given.flatMap((word, at) =>
      word.startsWith('-') || namingOption.test(given[at - 1] ?? '')
        ? []
        : [{ name: programIn(word), args: given.slice(at + 1) }],
    ),
    scripts: [
      ...given.filter((word) => /\s/.test(word)),
      ...values.map((value) => value.replace(/^exec=|^!/, '')),
    ],
  }
}

/** The words in which a command may begin; of programs that are not known, the first behind `--`. */
function startedBehind(name: string, args: string[]): string[] {
  if (wrappers.has(name)) return args
  const marks = Object.hasOwn(wrappersAfter, name) ? wrappersAfter[name]! : null
  const at = args.findIndex((arg) => marks?.includes(arg))
  if (at !== -1) return args.slice(at + 1)
  const end = args.indexOf('--')
  const isText = takesWords.has(name) || Object.hasOwn(readCommands, name)
  return end === -1 || marks || isText ? [] : args.slice(end + 1)
}
/** `curl` also of `/opt/bin/curl`; of another path only the last folder may tell. */
const programIn = (word: string): string =>
  /\/s?bin\//.test(word) ? word.slice(word.lastIndexOf('/') + 1) : word

const ofNode = /(?:^|\/)(npm|npx|pnpm|yarn|gem|twine|poetry)(?:-cli)?(?:\.[cm]?js|\.py|\.phar)?$/

/** A program as an interpreter is told to run it: `npm` of `node …/npm-cli.js`, `twine` of `python -m twine`; null: none. Pure. */
export function programOfInterpreter(name: string, args: string[]): { name: string; args: string[] } | null {
  if (!/^(node|nodejs|bun|deno|python|ruby|php|pypy)[\d.]*$/.test(name)) return null
  const at = args.findIndex((arg, i) => !arg.startsWith('-') || arg === '-m' || args[i - 1] === '-m')
  const isModule = args[at] === '-m'
  const program = isModule ? args[at + 1] : ofNode.exec(args[at] ?? '')?.[1]
  return program === undefined ? null : { name: program, args: args.slice(at + (isModule ? 2 : 1)) }
}
