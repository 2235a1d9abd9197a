/** Long names of short options, as common programs have them. */
const longNames: Record<string, string[]> = {
  a: ['all'],
  d: ['delete', 'detach', 'data'],
  D: ['delete', 'save-dev'],
  f: ['force', 'file', 'filename', 'follow'],
  g: ['global'],
  i: ['interactive', 'in-place', 'install'],
  k: ['insecure'],
  m: ['message', 'move'],
  n: ['namespace', 'no-verify', 'dry-run'],
  o: ['output'],
  p: ['publish', 'patch', 'parents'],
  q: ['quiet'],
  r: ['recursive'],
  R: ['recursive'],
  t: ['tag', 'tty'],
  u: ['user', 'set-upstream', 'upgrade'],
  v: ['volume', 'verbose'],
  x: ['exec'],
  X: ['request'],
  y: ['yes', 'assume-yes'],
}
/** Letters that are one option to `rm`, `cp`, `chmod` and their like. */
const sameLetters = ['rR']

/** Whether a letter is a short name of a long option, which may be shortened: `f` of `--force`. Pure. */
export const isSameOption = (letter: string, option: string): boolean =>
  option.length > 3 && (longNames[letter] ?? []).some((name) => `--${name}`.startsWith(option))

/** The letters that mean the same as one. Pure. */
export const lettersLike = (letter: string): string =>
  sameLetters.find((letters) => letters.includes(letter)) ?? letter
