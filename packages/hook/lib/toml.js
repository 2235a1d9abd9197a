/** @typedef {Record<string, any>} Table */

/**
 * Reads TOML 1.0, as far as settings need it: tables, arrays of tables, dotted and quoted keys, all strings, arrays and inline
 * tables. Numbers and dates are kept as text. Linear.
 * @param {string} text
 * @returns {Table}
 * @throws {SyntaxError}
 */
export function parseToml(text) {
  const reader = new Reader(text.replace(/^\uFEFF/, ''))
  const root = newTable()
  let table = root
  for (reader.skipLines(); !reader.isAtEnd(); reader.skipLines()) {
    if (reader.takes('[[')) {
      const path = reader.key()
      reader.expect(']]')
      table = newTable()
      appendAt(root, path, table)
    } else if (reader.takes('[')) {
      const path = reader.key()
      reader.expect(']')
      table = tableAt(root, path)
    } else reader.pairInto(table)
    reader.endLine()
  }
  return root
}

/** Without a prototype: a key may have any name. @returns {Table} */
const newTable = () => Object.create(null)

/** @param {Table} from @param {string[]} path @returns {Table} */
function tableAt(from, path) {
  let table = from
  for (const name of path) {
    const found = (table[name] ??= newTable())
    table = Array.isArray(found) ? found.at(-1) : found
    if (typeof table !== 'object' || table === null) throw new SyntaxError(`${name} is not a table`)
  }
  return table
}

/** @param {Table} root @param {string[]} path @param {Table} table */
function appendAt(root, path, table) {
  const parent = tableAt(root, path.slice(0, -1))
  const name = /** @type {string} */ (path.at(-1))
  const list = (parent[name] ??= [])
  if (!Array.isArray(list)) throw new SyntaxError(`${name} is not an array of tables`)
  list.push(table)
}

const levelsMax = 64

class Reader {
  /** @param {string} text */
  constructor(text) {
    this.text = text
    this.at = 0
    this.level = 0
  }

  isAtEnd() {
    return this.at >= this.text.length
  }

  /** @param {RegExp} pattern  sticky */
  match(pattern) {
    pattern.lastIndex = this.at
    const [found] = pattern.exec(this.text) ?? []
    if (found !== undefined) this.at += found.length
    return found
  }

  /** @param {string} token */
  takes(token) {
    if (!this.text.startsWith(token, this.at)) return false
    this.at += token.length
    return true
  }

  /** @param {string} token */
  expect(token) {
    this.skipSpace()
    if (!this.takes(token)) throw new SyntaxError(`expected ${token} at ${this.at}`)
  }

  skipSpace() {
    this.match(/[ \t]+/y)
  }

  skipLines() {
    this.match(/(?:[ \t\r\n]|#[^\n]*)+/y)
  }

  endLine() {
    this.skipSpace()
    this.match(/#[^\n]*/y)
    if (!this.isAtEnd() && this.match(/\r?\n/y) === undefined)
      throw new SyntaxError(`expected the end of a line at ${this.at}`)
  }

  /** @returns {string[]} */
  key() {
    /** @type {string[]} */
    const path = []
    do {
      this.skipSpace()
      const part =
        this.text[this.at] === '"' || this.text[this.at] === "'" ? this.string() : this.match(/[\w-]+/y)
      if (part === undefined) throw new SyntaxError(`expected a key at ${this.at}`)
      path.push(part)
      this.skipSpace()
    } while (this.takes('.'))
    return path
  }

  /** @param {Table} table */
  pairInto(table) {
    const path = this.key()
    this.expect('=')
    const name = /** @type {string} */ (path.at(-1))
    tableAt(table, path.slice(0, -1))[name] = this.value()
  }

  /** @returns {unknown} */
  value() {
    this.skipSpace()
    const first = this.text[this.at]
    if (first === '"' || first === "'") return this.string()
    if (first === '[') return this.within(() => this.array())
    if (first === '{') return this.within(() => this.inlineTable())
    const word = this.match(/[^\s,\]}#]+/y)
    if (word === undefined) throw new SyntaxError(`expected a value at ${this.at}`)
    return word === 'true' ? true : word === 'false' ? false : word
  }

  /** @template T @param {() => T} read @returns {T} */
  within(read) {
    if (++this.level > levelsMax) throw new SyntaxError('too many levels')
    const value = read()
    this.level--
    return value
  }

  array() {
    this.takes('[')
    const items = []
    for (this.skipLines(); !this.takes(']'); this.skipLines()) {
      items.push(this.value())
      this.skipLines()
      if (!this.takes(',') && this.text[this.at] !== ']') throw new SyntaxError(`expected ] at ${this.at}`)
    }
    return items
  }

  inlineTable() {
    this.takes('{')
    const table = newTable()
    for (this.skipLines(); !this.takes('}'); this.skipLines()) {
      this.pairInto(table)
      this.skipLines()
      if (!this.takes(',') && this.text[this.at] !== '}') throw new SyntaxError(`expected } at ${this.at}`)
    }
    return table
  }

  /** @returns {string} */
  string() {
    const long = this.match(/"""(?:[^\\]|\\[^])*?"""(?:"{1,2}(?!"))?|'''[^]*?'''(?:'{1,2}(?!'))?/y)
    if (long !== undefined) {
      const body = long.slice(3, -3).replace(/^\r?\n/, '')
      return long.startsWith('"') ? unescaped(body) : body
    }
    const found = this.match(/"(?:[^"\\\n]|\\[^\n])*"|'[^'\n]*'/y)
    if (found === undefined) throw new SyntaxError(`a string has no end at ${this.at}`)
    return found.startsWith('"') ? unescaped(found.slice(1, -1)) : found.slice(1, -1)
  }
}

/** @type {Record<string, string>} */
const escapes = { b: '\b', t: '\t', n: '\n', f: '\f', r: '\r', e: '\u001b' }

/** @param {string} text */
const unescaped = (text) =>
  text.replaceAll(/\\(?:(?:u[\da-fA-F]{4}|U[\da-fA-F]{8}|x[\da-fA-F]{2})|[ \t]*\r?\n\s*|[^])/g, (escape) => {
    if (/^\\[uUx]./.test(escape)) return String.fromCodePoint(Number.parseInt(escape.slice(2), 16))
    const one = escape.slice(1)
    return /^\s/.test(one) ? '' : (escapes[one] ?? one)
  })
