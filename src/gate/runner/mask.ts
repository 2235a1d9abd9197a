/**
 * Secrets of known shapes. Every pattern is bounded: it starts at a fixed text or a word boundary, and no part of it can match
 * the same characters in two ways. None covers white space or what a shell acts on, except between the lines of a key: who
 * approves a call must see what it runs.
 */
const shapes: [pattern: RegExp, replacement: string][] = [
  [
    /-----BEGIN (?:[A-Z0-9 ]{0,30})PRIVATE KEY(?: BLOCK)?-----(?:(?:\s|\\[nrt]){1,8}(?:(?:Proc-Type|DEK-Info|Version|Comment): [0-9A-Za-z, .-]{1,80}|[0-9A-Za-z+/=]{60,}|[0-9A-Za-z+/]{24,59}={0,2}|[0-9A-Za-z+/]{1,23}={1,2}|=[0-9A-Za-z+/]{4}(?![0-9A-Za-z+/=])))+(?:(?:\s|\\[nrt]){1,8}-----END [A-Z0-9 ]{0,50}-----)?/g,
    '[private key]',
  ],
  [/\bqgk_[0-9A-Za-z]{8,64}/g, 'qgk_[masked]'],
  [/\b(AKIA|ASIA|ABIA|ACCA)[0-9A-Z]{16}\b/g, '$1[masked]'],
  [/\b(gh[pousr]_|github_pat_|glpat-|gldt-|glrt-)[0-9A-Za-z_-]{16,255}/g, '$1[masked]'],
  [/\b(xox[abeoprs]-|xapp-)[0-9A-Za-z-]{10,255}/g, '$1[masked]'],
  [/\b(hooks\.slack\.com\/(?:services|workflows)\/)[0-9A-Za-z/_-]{10,255}/g, '$1[masked]'],
  [/\b([sr]k_(?:live|test)_|whsec_|re_)[0-9A-Za-z_]{16,255}/g, '$1[masked]'],
  [/\b(sk-ant-|sk-proj-|sk-svcacct-|sk-or-|sk-)[0-9A-Za-z_-]{20,255}/g, '$1[masked]'],
  [/\b(AIza)[0-9A-Za-z_-]{35}/g, '$1[masked]'],
  [/\b(ya29\.|GOCSPX-)[0-9A-Za-z_-]{16,255}/g, '$1[masked]'],
  [/\b(npm_|pypi-|hf_|dop_v1_|SG\.|sq0[a-z]{3}-|lin_api_|shpat_)[0-9A-Za-z_.-]{20,255}/g, '$1[masked]'],
  // From the first character of its word, as in `session-eyJ…`: `-eyJ-eyJ…` would be read again from each `eyJ`.
  [
    /(?<![0-9A-Za-z_-])((?:[0-9A-Za-z_]{0,64}-){0,3})eyJ[0-9A-Za-z_-]{8,4096}\.[0-9A-Za-z_-]{8,8192}(?:\.[0-9A-Za-z_-]{0,2048})?/g,
    '$1[JSON web token]',
  ],
  [
    /\b((?:proxy-)?authorization["']?\s{0,5}[:=]\s{0,5}["']?(?:(?:bearer|basic|token|digest|negotiate)\s{1,5})?)[^\s"',;`$|&<>()]{4,8192}/gi,
    '$1[masked]',
  ],
  [/\b((?:bearer|basic)\s{1,5})[0-9A-Za-z._~+/=-]{16,8192}/gi, '$1[masked]'],
  [/(:\/\/[^\s:/@"'<>;`$|&()]{0,200}:)[^\s/@"'<>;`$|&()]{1,1000}(?=@)/g, '$1[masked]'],
]

const nameOfSecret =
  /(?:pass(?:word|wd|phrase)?|pwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key|credential)s?(?=["']?\s{0,5}[:=])/gi
// A quote here may end the text before it: what follows would then be words and commands of their own.
const valueOfSecret =
  /["']?\s{0,5}[:=]\s{0,5}(?:"(?:[^"\\\s;`$|&<>()]|\\[^\s;`$|&<>()]){1,4096}"|'(?:[^'\\\s;`$|&<>()]|\\[^\s;`$|&<>()]){1,4096}'|[^\s"';`$|&<>(),]{1,4096})/y

/** Any of the shapes, whatever its case: most texts contain none, and one search tells. */
const anyShape = new RegExp([...shapes.map(([{ source }]) => source), nameOfSecret.source].join('|'), 'i')

/** Masks secrets of known shapes in a text before it is stored or shown. Other secrets stay. Linear. Pure. */
export function maskSecrets(text: string): string {
  if (!anyShape.test(text)) return text
  const masked = shapes.reduce((result, [pattern, replacement]) => result.replace(pattern, replacement), text)
  return maskNamedValues(masked)
}

/** Masks what follows `password=`, `"token": "` and their like. */
function maskNamedValues(text: string): string {
  const parts: string[] = []
  let from = 0
  for (const name of text.matchAll(nameOfSecret)) {
    const at = name.index + name[0].length
    if (at < from) continue
    valueOfSecret.lastIndex = at
    const value = valueOfSecret.exec(text)?.[0]
    if (value === undefined) continue
    const mark = /^["']?\s{0,5}[:=]\s{0,5}["']?/.exec(value)![0]
    parts.push(
      text.slice(from, at),
      mark,
      '[masked]',
      mark.endsWith('"') || mark.endsWith("'") ? mark.at(-1)! : '',
    )
    from = at + value.length
  }
  return parts.join('') + text.slice(from)
}
