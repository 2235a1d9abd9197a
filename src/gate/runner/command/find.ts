const tests = {
  /** Without a value. */
  alone:
    '-print -print0 -ls -prune -empty -not ! ( ) , -o -or -a -and -true -false -depth -d -mount -xdev -x -follow -quit -readable ' +
    '-writable -executable -nouser -nogroup -daystart -noleaf -L -H -P -E -X -warn -nowarn',
  /** With one value. */
  valued:
    '-name -iname -path -ipath -wholename -iwholename -regex -iregex -regextype -type -xtype -maxdepth -mindepth -size -perm ' +
    '-user -group -uid -gid -links -inum -mtime -atime -ctime -mmin -amin -cmin -newer -anewer -cnewer -newermt -newerct ' +
    '-lname -ilname -printf -fstype -samefile -used',
}
const alone = tests.alone.split(' ')
const valued = tests.valued.split(' ')

/** The folders that a `find` looks into; null where it does more than look: `-exec`, `-delete`, `-fprintf` and their like. Pure. */
export function foldersOfFind(args: string[]): string[] | null {
  const folders: string[] = []
  for (let at = 0; at < args.length; at++) {
    const arg = args[at]!
    if (alone.includes(arg)) continue
    if (valued.includes(arg)) {
      // A `find` that knows the test without a value would take it for an action.
      if (mayBeAction(args[++at] ?? '')) return null
    } else if (arg.startsWith('-')) return null
    else folders.push(arg)
  }
  return folders
}

const mayBeAction = (value: string): boolean => /^-[a-z]/i.test(value) && !/^-[ugo]+[+=]/.test(value)
