// Tells from the name of a file whether it may hold secrets. All names here are in lower case, as `fold` makes them.

/** Words that name a secret. */
const secretWords = [
  'secret|credential|passw(or)?d|passphrase|ht(passwd|digest)|mnemonic|adminsdk|secring|privkey|bitwarden|lastpass|1password|keepass',
  String.raw`(^|[^a-z])(creds?|vault|cookie[-_]?jar|authinfo|totp)(?![a-z])|connection[-_]?strings?(?![a-z])`,
  String.raw`tokens?(?![a-z])`,
  String.raw`(vault|become|sudo|root|admin|user|db|mysql|smtp|mail|login)[-_.]?pass(?![a-z])`,
  String.raw`(api|private|secret|access|account|service|signing|encryption|master|deploy|ssh|auth|admin|host|client|server|gcp|gcloud|google|aws|azure|session|jwt|hmac|release|sa|rsa|root|unseal|age|openai|anthropic|stripe)[-_. ]?keys?(?![a-z])`,
  String.raw`service[-_. ]?account|(key|trust)[-_]?(store|tab|chain)(?![a-z])|(kube|talos)[-_.]?config|seed[-_ ]?phrase|(recovery|backup)[-_ ]codes?`,
  String.raw`^(([a-z]+[-_.])?auth\.json|oauth2?([-_.]?client)?\.json|key\.json|kaggle\.json|pass\.txt|cookies\.(txt|json)|storage-?state\.json|wallet\.(dat|json)|(age[-_])?keys?\.(txt|gpg|age)|(key|signing)\.properties|\.dockerconfigjson|tomcat-users\.xml|(k3s|rke2)\.yaml|.*-[0-9a-f]{12}\.json)$`,
]
/** Keys of SSH, and variables of an environment. */
const bareNames =
  '_(rsa|dsa|ecdsa|ed25519)|^env[-_.](local|prod(uction)?|dev(elopment)?|stag(e|ing)|live)|^(prod(uction)?|stag(e|ing)|live|local)[-_.]env|^\\.[a-z0-9]+[-_](key|auth)'
const hasSecretWord = new RegExp(`${secretWords.join('|')}|(${bareNames})$`)
/** A file without an ending is often called so, and a folder of sources rarely. */
const secretEnds = [...secretWords.map((words) => `(${words})s?`), `(${bareNames})`].map(
  (words) => new RegExp(`${words}([-_.]?(\\d+|file))?$`),
)
/** Which one of several secrets it is, and in what form. */
const secretForm =
  /[-_.](base|hash|value|current|new|live|prod(uction)?|stag(e|ing)|dev(elopment)?|b64|base64)$/
const endsInSecretWord = (name: string): boolean =>
  secretEnds.some((end) => end.test(name.replace(secretForm, '')))
/** A form to be filled in, a list of what there can be, or made up. */
const hasFormWord =
  /(^|[^a-z])(examples?|samples?|template|tmpl|tpl|dist|defaults?|schemas?|mocks?|fake|dummy|stubs?|scanning|polic(y|ies)|types?|reset)(?![a-z])/
const endsInFormWord = /[-_.](example|sample|template|tmpl|tpl|dist|defaults)$/

/** Settings and data. */
const dataEndings = new Set(
  (
    'json jsonc json5 yml yaml toml ini conf cfg cnf config props properties plist xml txt csv env enc gpg asc age dat db ' +
    'sqlite sqlite3 pickle prod production dev development stage staging ci'
  ).split(' '),
)
/** Code, prose, pictures, programs, and pages of manuals. */
const plainEndings = new Set(
  (
    'js jsx ts tsx cjs cjsx cts ctsx mjs mjsx mts mtsx vue svelte astro py pyc pyi pyo ipynb rb erb rake go rs java class ' +
    'kt kts scala groovy gradle clj cljc cljs c h cc cpp cxx hh hpp m mm swift cs fs vb php phtml pl pm t lua r jl ex exs ' +
    'eex heex erl hrl hs elm ml mli nim zig dart sol v vh sv svh vhdl s asm el lisp scm awk vim perl tcl sql graphql gql ' +
    'proto thrift prisma avsc wat wasm css scss sass less styl htm html xhtm xhtml md mdx mdc markdown rst adoc org tex pdf ' +
    'doc docx png jpg jpeg gif svg ico webp avif mp3 mp4 woff woff2 otf ttf eot map snap lock patch diff tf hcl nix bicep ' +
    'cmake mk in am m4 hbs ejs pug jinja jinja2 j2 liquid mustache njk po pot mo feature a o so dll exe jar whl gem service ' +
    'socket timer target log pub 0 1 2 3 4 5 6 7 8 9 gz'
  ).split(' '),
)
const endingOf = (name: string): string => name.slice(name.lastIndexOf('.') + 1 || name.length)
const shellEnding = /\.((ba|z|k|fi|c)?sh|ps1|bat|cmd)$/
/** Left of a file by editors, and by people who keep the last one. */
const backupEnding = /(~|\.(bak|backup|old|orig|save|sw[op]|te?mp|local|copy|\d{1,12}))$/

/** Whatever stands around it. */
const surelySecret = new RegExp(
  [
    // `.env-prod`, `.env_local`, `.flaskenv`, `.dev.vars`. The names after `?!` are folders and settings of other programs.
    String.raw`^\.env(?!oy)([\w.~-]|$)`,
    String.raw`^\.(?!(v|virtual|py|rb|nod|node|j|go|php|pl|tf|tg|dir|docker|zsh|cr|sw|swift|asdf)env$)[a-z_-]+env$`,
    String.raw`^\.([a-z]+\.)?vars([-_.]|$)`,
    String.raw`\.tf(state|vars|plan)([.~]|$)`,
    String.raw`^krb5cc([_.]|$)`,
    String.raw`^ssh_host_.*key$`,
    String.raw`^wg\d+\.conf$`,
    // Names that programs or their documentation give to files with credentials.
    String.raw`^(application_default_credentials\.json|env[-_.]local|debian\.cnf|cwallet\.sso|local\.settings\.json|\.(google_authenticator|sentryclirc|clasprc\.json|runtimeconfig\.json|linode-cli|modal\.toml))$`,
    String.raw`[a-z]\.env\.(json|ya?ml|toml)$|^utc--\d{4}-|^private\.(asc|gpg|pgp|txt)$`,
  ].join('|'),
)

/** Settings that have a password or token where the program that reads them is given one, whatever their ending. */
const secretSettings = new RegExp(
  [
    // Package managers: addresses with tokens.
    String.raw`^(pip\.(conf|ini)|nuget(\.[a-z]+)?\.config|\.?(conda|mamba)rc|\.(gemrc|curlrc|wgetrc))$`,
    // Sites: the password of a database.
    String.raw`^(wp-config([-_.][a-z]+)?|localsettings|config\.inc|settings\.inc|(settings|config)[-_.]local|local[-_.](settings|config)|db[-_]?(config|connect(ion)?))\.(php|inc|py)$`,
    String.raw`^(parameters|ngrok|gitlab-?runner|hosts\.secret)\.(ya?ml|toml|json)$|^(grafana|winscp|openerp-server)\.ini$|^airflow\.cfg$|^gitlab\.rb$`,
    // Servers, and what connects to them.
    String.raw`^(redis|(redis-)?sentinel|rabbitmq|hostapd|wpa_supplicant|sssd|nslcd|slapd|pam_ldap|ldap|odoo|cntlm|e?s?smtp|turnserver|coturn|snmpd|pjsip|sip|stunnel|\.?pg_service|dovecot-(sql|ldap)|ipsec|xl2tpd|radiusd|zabbix_server|bacula-(dir|fd|sd))([-_.]\w+)?\.conf(\.ext|\.d)?$`,
    String.raw`^(userlist\.txt|users\.acl|frp[cs]\.(toml|ini)|(sitemanager|recentservers|confcons)\.xml|davfs2|tailscaled?\.state)$`,
  ].join('|'),
)
/** Likewise, by the folder that such a file stands in. */
const secretSettingsIn =
  /(^|\/)(app\/etc\/env\.php|sites\/[^/]+\/settings\.php|(custom\/conf|gitea)\/app\.ini|\.mvn\/settings\.xml)$/

const hiddenSecretFolder = /^\.(envs?([-_.].*)?|secrets?|credentials?|tokens?|vault|auth)$/
const pythonFolder = /^(bin|lib(64)?|include|share|scripts|pyvenv\.cfg)$/
const secretFolder = /^(secrets?|credentials?|creds|passwords?|(private|ssh|api)[-_]?keys)$/
/** Files that describe a package, and not what is in it. */
const manifest =
  /^(\.|(package|[jt]sconfig|composer|project|deno)\b.*\.json|(cargo|pyproject)\.toml|(chart|values|kustomization|mkdocs).*\.ya?ml|go\.(mod|sum)|cmakelists\.txt|requirements.*\.txt|(makefile|dockerfile|licen[cs]e|readme|notice|copying|changelog|authors|codeowners|build|index)\b)/
/** The words of an application in other languages, and the forms of data. */
const textFolder = /^(locales?|i18n|l10n|langs?|languages?|translations?|intl|schemas?)$/
/** Colours and sizes are called tokens, and so are parts of words. */
const isDesign = /design|theme|style|colou?r|typograph|css|figma|tokeni[sz]er|vocab|(special|added)_tokens/

/** Whether a file holds secrets, by its name and folders: `sure`, or `likely` if it is a file and not a folder or a word. Pure. */
export function secretsIn(segments: string[]): 'sure' | 'likely' | null {
  const whole = segments.at(-1) ?? ''
  if (isForm(whole)) return null
  const name = withoutBackup(whole)
  if (surelySecret.test(whole) || surelySecret.test(name)) return 'sure'
  if (!hasFormWord.test(name) && (secretSettings.test(name) || secretSettingsIn.test(segments.join('/'))))
    return 'sure'
  const isHidden = name.startsWith('.')
  const isPlain = plainEndings.has(endingOf(name)) || (!isHidden && shellEnding.test(name))
  if (isPlain || hasFormWord.test(name) || segments.slice(-3, -1).some((folder) => textFolder.test(folder)))
    return null
  const isNamed = hasSecretWord.test(name) && !listsUsers.test(segments.join('/')) && !isDesignOf(segments)
  if (isNamed && dataEndings.has(endingOf(name))) return /^[\w.@+-]+$/.test(name) ? 'sure' : 'likely'
  if (isNamed && (isHidden || name.startsWith('kubeconfig') || /.\./.test(name) || endsInSecretWord(name)))
    return 'likely'
  return isInSecretFolder(segments, name) ? 'likely' : null
}

const listsUsers = /(^|\/)(etc\/passwd-?|pam\.d\/[^/]+)$/

const isDesignOf = (segments: string[]): boolean =>
  /^((?!access|api|auth|bearer|id|oauth|refresh|session|stored)[a-z]+[-_.])*tokens/.test(segments.at(-1)!) &&
  segments.slice(-3).some((segment) => isDesign.test(segment))

function isInSecretFolder(segments: string[], name: string): boolean {
  const hidden = segments.findIndex((folder) => hiddenSecretFolder.test(folder))
  if (hidden >= 0 && hidden < segments.length - 1) return !pythonFolder.test(segments[hidden + 1]!)
  const isNear = segments.slice(-3, -1).some((folder) => secretFolder.test(folder))
  return isNear && !manifest.test(name) && (dataEndings.has(endingOf(name)) || !name.includes('.'))
}

/** The name of a file without what is added to name a copy of it. Pure. */
export const withoutBackup = (name: string): string =>
  name.replace(backupEnding, '').replace(backupEnding, '')

/** Whether a file is a form to be filled in, by its ending, such as `.env.example`. Pure. */
export const isForm = (name: string): boolean => endsInFormWord.test(name)

/** Whether a file is code, prose or a picture by its ending. Pure. */
export const isPlainName = (name: string): boolean =>
  plainEndings.has(endingOf(name)) || shellEnding.test(name)

/** Whether a name of code with wildcards may stand for settings with a password. Pure. */
export const mayBeSettings = (start: string, name: string): boolean =>
  /\.(php|inc)$/.test(name) &&
  ['wp-config', 'localsettings', 'config.inc'].some((known) => known.startsWith(start))

/** Whether the start of a name may go on as one of a file with secrets: by the word that it ends in. Pure. */
export function mayNameSecret(start: string): boolean {
  if (hasSecretWord.test(start)) return true
  if (start !== '' && ordinaryStart.test(start)) return false
  const word = /(?<![a-z])[a-z]*$/.exec(start)![0]
  return word === '' || secretStarts.some((known) => known.startsWith(word))
}

/** Whether a variable of an environment is called like a secret. Pure. */
export const namesSecret = (variable: string): boolean =>
  hasSecretWord.test(variable.toLowerCase()) || secretVariable.test(variable)

/** What files are rarely called. */
const secretVariable = /(^|_)(KEY|PASS|PAT|PIN|AUTH|DSN|JWT|COOKIE|SALT)$|._PWD$/i

const ordinaryStart =
  /^(package|[jt]sconfig|(docker-)?compose|composer|requirements|babel|jest|eslint)([-_.]|$)/
const secretStarts =
  'secrets credentials creds passwords passwd passphrase tokens vault api private access account service firebase google auth oauth keys keystore kubeconfig terraform env'.split(
    ' ',
  )
