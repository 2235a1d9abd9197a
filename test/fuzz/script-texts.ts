import fc from 'fast-check'

// Arguments of sed, awk, jq and find, made from their manuals: every command, option and quirk that is described there, next to
// the plain ones that people use. What the gate takes for harmless plays no part. The working folder has `a.txt`, `a.json`, `canary`,
// `secret`, a module `m` and a program `boom`.

type Texts = fc.Arbitrary<string>

/** One of some texts, separated by spaces; `·` stands for a space, `␤` for a line break, `∅` for nothing. */
const one = (list: string): Texts =>
  fc.constantFrom(
    ...list.split(' ').map((text) => text.replaceAll('·', ' ').replaceAll('␤', '\n').replace('∅', '')),
  )
/** One of some lists of words, which are separated by ` | `; signs as in `one`. */
const words = (lists: string): fc.Arbitrary<string[]> =>
  fc.constantFrom(
    ...lists.split(' | ').map((list) => list.split(' ').map((word) => word.replaceAll('·', ' '))),
  )
/** Mostly the first, one in `of` the second. */
const mostly = <T>(plain: fc.Arbitrary<T>, odd: fc.Arbitrary<T>, of = 8): fc.Arbitrary<T> =>
  fc.oneof({ weight: of - 1, arbitrary: plain }, { weight: 1, arbitrary: odd })
const some = (part: Texts, maxLength: number, joint: Texts = fc.constant(''), minLength = 0): Texts =>
  fc
    .array(fc.tuple(part, joint), { minLength, maxLength })
    .map((parts) => parts.map(([text, end], at) => (at === parts.length - 1 ? text : text + end)).join(''))
const joined = (...parts: (Texts | string)[]): Texts =>
  fc
    .tuple(...parts.map((part) => (typeof part === 'string' ? fc.constant(part) : part)))
    .map((all) => all.join(''))
const maybe = (part: Texts, of = 2): Texts => mostly(fc.constant(''), part, of)

// sed: GNU sed 4.9, POSIX.1-2024, sed(1) of FreeBSD.

const inPattern = mostly(
  one('a b o boom . * ^ $ [ab] [^a] [[:alpha:]] \\. \\/ e w'),
  one(
    '[ ] [^ [] [^] []a] [^]x] [[:alpha:] [:alpha:] [[.x.]] [[. .]] [[=a=]] [\\n] [\\]] [a/] [/ /] [|] [,] \\ ' +
      '\\\\ \\[ \\] \\n \\t \\x5b \\x2f \\x5d \\o057 \\d047 \\c[ \\cA \\( \\) \\(a\\) \\1 \\{1\\} ( ) { } ; | # , ' +
      '& é € ␤ \\␤ / \\| \\, \\w \\b ]/e·boom·␤ ]/w·canary␤ ;s/ /p;s/',
  ),
  20,
)
const inReplacement = mostly(
  one('a b x boom & [b] \\/ \\n \\1'),
  one('[ ] \\ \\\\ \\& \\␤ ␤ \\U& \\L \\E \\x26 \\c\\ / | ; } # é ]/e ]/w·canary␤ /e /w·canary␤ boom'),
  20,
)
const delimiter = mostly(fc.constant('/'), one('| , # ; : ! x e w [ ] { } é € ␤ \\ ·'), 9)
const delimitedBy = (build: (end: string) => Texts): Texts => delimiter.chain(build)
const regexpAddress = fc.oneof(
  { weight: 9, arbitrary: joined('/', some(inPattern, 4, fc.constant(''), 1), '/') },
  { weight: 1, arbitrary: delimitedBy((end) => joined('\\', end, some(inPattern, 3), end)) },
)
const address = fc.oneof(
  { weight: 4, arbitrary: one('1 2 $ 1 3') },
  { weight: 3, arbitrary: joined(regexpAddress, maybe(one('I M IM ·'), 6)) },
  { weight: 1, arbitrary: one('0~2 1~1 +1 ~2 0 $ 2 7') },
)
const addresses = fc.oneof(
  fc.constant(''),
  joined(address, maybe(one('·'), 6)),
  joined(address, one(', ,·'), mostly(address, one('+1 ~2 +'), 5)),
  joined(address, one('! !·')),
)
const file = one('canary ./canary new secret a.txt /dev/stdout')
const substitution = delimitedBy((end) =>
  joined(
    's',
    end,
    some(inPattern, 4, fc.constant(''), 1),
    end,
    some(inReplacement, 4),
    end,
    mostly(
      one('∅ g p gp I 2 gI'),
      joined(one('∅ g ·'), one('e w m M ; } w·'), maybe(one('canary boom'), 2)),
      9,
    ),
  ),
)
const otherSed = fc.oneof(
  joined(one('w W r R w· r· W·'), file),
  joined(one('e e· e␤'), one('boom ./bin/boom ∅ a')),
  joined(one('a i c a· a\\ i\\␤ c\\␤ a\\␤'), one('boom x\\ x\\␤ x')),
  joined(one('b t T : b· :·'), one('a a;p ∅ a·} a;w·canary')),
  joined('y/', some(inPattern, 3), '/', some(inReplacement, 3), '/'),
  joined('{', one('p; p p␤ e·boom; w·canary␤'), '}'),
  one('{ } F l z x h H g G n N D P v Q q1 Q2 l·3 # #·x #n \\'),
)
const sedCommand = joined(
  maybe(one('· ·; ␤'), 8),
  addresses,
  mostly(mostly(one('p d q = p d'), substitution, 2), otherSed, 14),
  maybe(one('· } ·;'), 12),
)
/** What one implementation takes for the end of a pattern may be none for another, and the next command begins elsewhere. */
const opening = mostly(
  one('[ [^ [a'),
  one('[] []x] [[:alpha:] [[. [[= [\\n \\ \\\\ \\c \\[ \\( é\\ [é [/ \\x5b \\cc'),
  3,
)
const closing = mostly(one('] a]'), one(':]] .]] =]] \\] \\) / ]/ \\'), 3)
const danger = mostly(one('e·boom· w·sub'), one('e·boom·# e·boom␤ w·canary␤ e e; a/e W·sub ;e·boom·'), 3)
const ending = one('∅ / /1 /g')
const hiddenDanger = fc.oneof(
  joined('/', maybe(inPattern), opening, one('/p /d /= //'), one('; ␤'), 's/', closing, '/', danger, ending),
  joined(
    's/',
    maybe(inPattern),
    opening,
    one('/b/ // /'),
    one('; ␤ ;p;'),
    's/',
    closing,
    '/',
    danger,
    ending,
  ),
  joined('s', delimiter, 'a', opening, one('/b/ |b| ,b,'), one('; ␤'), danger, one('∅ / | ,')),
  joined('y/', opening, '/b/;', danger, '/'),
)
const sedScript = mostly(
  some(sedCommand, 3, mostly(one('; ␤ ;·'), one('∅ · } ;; ;} # \\␤'), 12), 1),
  some(hiddenDanger, 2, one('; ␤'), 1),
  5,
)
const sedOption = mostly(
  one('-n -E -r -s -z -u -nE --posix --sandbox --quiet -n -n'),
  one('-i -i.bak -ni --in-place -f --debug -l -I -a -g -- --expr=p -nf'),
  16,
)
/** The arguments of a `sed`. */
export const sedArguments: fc.Arbitrary<string[]> = fc
  .tuple(fc.array(sedOption, { maxLength: 2 }), sedScript, sedScript, fc.nat(7))
  .map(([options, script, other, form]) => {
    const forms = [
      [...options, script, 'a.txt'],
      [...options, script, 'a.txt'],
      [...options, '-e', script, 'a.txt'],
      [...options, '-e', script, '-e', other, 'a.txt'],
      [...options, `-ne${script}`, 'a.txt', 'b.txt'],
      [script, 'a.txt', ...options],
      [script, 'a.txt', '-e', other],
      [`--expression=${script}`, ...options, '--', 'a.txt'],
    ]
    return forms[form]!
  })

// awk: POSIX.1-2024, the manual of gawk 5, awk(1) of the One True Awk, mawk and busybox.

const inString = mostly(
  one('a b boom : , · - 1'),
  one('\\" \\\\ \\n \\t \\/ \\␤ ␤ | > # { } \\x22 \\042 / @ é %s %c'),
  6,
)
const awkString = joined('"', some(inString, 4), mostly(fc.constant('"'), fc.constant(''), 12))
const awkRegexp = joined('/', some(inPattern, 3), '/')
const value = mostly(
  fc.oneof(one('$0 $1 $2 $NF NR NF FNR FILENAME length 1 $1-1'), awkString),
  fc.oneof(
    one(
      'system("boom") system·($0) getline getline·x getline·<·"secret" "boom"·|·getline "boom"·|&·getline ' +
        'close close("x") fflush fflush() ENVIRON ENVIRON["TOKEN"] PROCINFO SYMTAB["NR"] ARGV[1] x x=1 x++ --x $x ' +
        '$(1) $(system("boom")) length() length·x toupper($0) sprintf srand rand() @f() awk::x f() sin exp tolower ' +
        'substr($0,1) gsub(/a/,"b") ("boom"·|·getline) $getline !x -1 1·in·x func delete $$0 index split exit next ' +
        '/a/',
    ),
    awkRegexp,
    one('system system getline'),
  ),
  9,
)
const output = mostly(
  fc.constant(''),
  one('·>·"canary" ·>"new" ·>>·"canary" ·>·$1 ·>$0 ·|·"boom" ·|"sh" ·|&·"boom" ·|·$0 >canary |system'),
  10,
)
const values = some(value, 3, one(', ,· · - ·-·'))
const statement = mostly(
  joined(one('print print· print· print·'), values, output),
  fc.oneof(
    joined(one('printf· printf('), values, maybe(one(')')), output),
    one(
      'next exit nextfile delete·x getline getline·<·"secret" system($0) system("boom") "boom"·|·getline x·=·$0 ' +
        'if·(1)·print while·(0)·print for·(;0;)·print {print} ; #·x return close("x") getline·x·<·"secret";·print·x ' +
        'print(1)>"new" system',
    ),
  ),
  7,
)
const statements = some(statement, 2, mostly(one(';·'), one('␤ \\␤ ;; ·#x␤'), 4))
const action = joined(
  '{',
  maybe(one('·'), 2),
  statements,
  maybe(one('· ;'), 3),
  mostly(fc.constant('}'), one('∅ }} };'), 12),
)
const comparison = joined('NR', maybe(one('·'), 2), one('== > < >= <='), maybe(one('·'), 2), one('1 2 3 10'))
const awkPattern = mostly(
  fc.oneof(fc.constant(''), comparison, joined(comparison, one('&& ·&&·'), comparison)),
  fc.oneof(
    one(
      'BEGIN END BEGINFILE ENDFILE 1 !x++ NF $1 $1·~·/a/ NR==1,NR==2 NR%2 system("boom") "boom"·|·getline getline ' +
        'length·>·1 system',
    ),
    joined(awkRegexp, maybe(one('&&NR ,/b/ ~'), 3)),
    joined(comparison, one('|| , && - * >·"new" ∅'), value),
  ),
  6,
)
const rule = mostly(
  fc.oneof(joined(awkPattern, maybe(one('·'), 2), action), joined(awkPattern, action), awkPattern),
  one(
    '@load·"m" @include·"evil.awk" @include·"evil" function·f()·{·system("boom")·} func·f(){print·>·"new"} ' +
      '@namespace·"a" #',
  ),
  10,
)
const awkProgram = joined(maybe(one('· ␤'), 6), mostly(rule, some(rule, 2, one('␤ ; ·'), 2), 5))
const awkOption = mostly(
  words('-F: | -F , | -F · | -Ft | -F [/]'),
  words(
    '-v x=boom | -v x=\\" | -f evil.awk | -fevil.awk | -i inplace | -l m | -e {print} | -E evil.awk | -onew | ' +
      '-dnew | -pnew | -W version | -- | -S | -safe | -g | --file=evil.awk | --dump-variables=new',
  ),
  6,
)
const awkOperand = mostly(
  fc.constant('a.txt'),
  one('b.txt x=1 OFS=| ORS=\\" FS=boom RS= NR=1 FILENAME=canary -f evil.awk -v -- ENVIRON=x $0=boom -'),
  5,
)
/** The arguments of an `awk`. */
export const awkArguments: fc.Arbitrary<string[]> = fc
  .tuple(
    mostly(fc.constant<string[][]>([]), fc.array(awkOption, { maxLength: 2 }), 2),
    awkProgram,
    fc.array(awkOperand, { minLength: 1, maxLength: 3 }),
    mostly(fc.constant<string[]>([]), awkOption, 8),
  )
  .map(([options, program, operands, late]) => [...options.flat(), program, ...operands, ...late])

// jq: the manuals of jq 1.5 to 1.8 and of gojq.

const field = one(
  '.a .env .ENV .import ."env" .["env"] .[0] .[] .a? .jobs.build.env .debug .e·nv ."a\\u0062"',
)
const filter = mostly(
  fc.oneof(field, one('. .. 1 1. "a" keys length type tostring to_entries sort not empty null @json @text')),
  one(
    'env $ENV env.TOKEN $ENV.TOKEN {env} {$ENV} {a:env} {env:1} {"a":$ENV} input inputs input_filename $__loc__ ' +
      '$__prog_args modulemeta "m"|modulemeta get_search_list getpath(["env"]) debug stderr halt halt_error ' +
      '"\\(env)" "\\($ENV.TOKEN)" "\\(.env)" ltrimstr("a") @sh @base64 builtins error try·error·catch·. ' +
      'splits("a") env|.TOKEN .#␤env .␤env 1.env ..env .[env] .env.env $x .·as·$x|$x def·f:·env;·f ' +
      'def·env:·1;·env reduce·.[]·as·$x·(0;env) if·env·then·.·else·.·end ."$ENV" "env" #env #·\\␤env ' +
      '.a[env|keys[]] @json·"\\(env)" .env|env \\u0065nv ENV ENV.TOKEN repl $ENV|tojson [env] -env .a//env .a+env ' +
      'label·$f|env',
  ),
  7,
)
const jqBody = some(filter, 3, mostly(one('| ·| ·, ,·'), one('∅ · . // ·+ ·and ·; as·$x| ?'), 4), 1)
const jqProgram = joined(
  mostly(
    fc.constant(''),
    one(
      'import·"m"·as·m;·m::f, include·"m";·f, import·"m"·as·$m;·$m, import·"./secret"·as·$m;·$m, module·{};·',
    ),
    15,
  ),
  maybe(one('·( ['), 20),
  jqBody,
)
const jqOption = mostly(
  words('-r | -c | -n | -s | -S | -e | -rc | --tab | -j | --raw-output'),
  words(
    '-f m.jq | -rf | -L . | --rawfile x secret | --slurpfile x secret | --arg x env | --args | --jsonargs | ' +
      '--from-file m.jq | -R | --seq | --stream | --indent 1 | -- | --argfile x secret | -Lm | --library-path=.',
  ),
  8,
)
/** The arguments of a `jq`. */
export const jqArguments: fc.Arbitrary<string[]> = fc
  .tuple(fc.array(jqOption, { maxLength: 2 }), jqProgram, mostly(fc.constant<string[]>([]), jqOption, 4))
  .map(([options, program, late]) => [...options.flat(), program, 'a.json', ...late])

// find: GNU findutils 4.9, POSIX.1-2024, find(1) of FreeBSD, busybox and toybox.

const findTest = mostly(
  words(
    '-name *.txt | -name a* | -type f | -type d | -maxdepth 1 | -mindepth 1 | -print | -print0 | -ls | -not | ! | ' +
      '-o | -a | -prune | -empty | -mtime -1 | -size -1k | -size +0c | -perm -0644 | -perm -u+r | -perm /u=r | ' +
      '-newer a.txt | -path ./sub | -iname A* | -regex .* | -true | -depth | -xdev | -quit | -links 1 | -user root | ' +
      '-printf %p\\n | -regextype posix-egrep | -newermt 2020-01-01 | -samefile a.txt | -lname x | -inum 1 | -used 1 ' +
      '| -wholename ./a.txt | -readable | -executable | -daystart',
  ),
  words(
    '-delete | -exec boom ; | -exec boom {} + | -execdir boom ; | -ok boom ; | -okdir boom ; | -fprint new | ' +
      '-fprint0 new | -fprintf new %p | -fls new | -files0-from secret | -f sub | -exec cat secret ; | -printf ' +
      '-delete | -name -delete | -used -delete | -perm -delete | -regextype -delete | -newermt -delete | -fstype ' +
      '-delete | -xtype -delete | -newerXY a.txt | -newerat -delete | -newermm -delete | -context x | -flags x | ' +
      '-xattr | -acl | -depth 1 | -depth -1 | -s | -E | -X | -x | -d | -P | -H | -O3 | -D exec | -D -delete | ' +
      '-nouser | -sparse | -unique | -exclude -delete | -nohidden | -printx | -size -delete | -type -delete | -atime ' +
      '-delete | -follow | -mount | -mount -delete | -newer -delete | -regex -delete | -iregex -delete | -printf %h ' +
      '-delete | -group -exec boom ; | -quit -delete | -maxdepth -delete | -capable | -noleaf -delete | ' +
      '-ignore_readdir_race | -rm | -exit 1 | -name | -print -exec | -o -delete | ( -delete ) | , -delete',
  ),
  7,
)
/** The arguments of a `find`. */
export const findArguments: fc.Arbitrary<string[]> = fc
  .tuple(words('. | sub | . sub | . | -L . | -H sub | -X . | -E .'), fc.array(findTest, { maxLength: 4 }))
  .map(([folders, tests]) => [...folders, ...tests.flat()])
