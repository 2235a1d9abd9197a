/**
 * Reads JSON with comments and commas before a closing bracket, as runners do. Linear.
 * @param {string} text
 * @returns {unknown}
 * @throws {SyntaxError}
 */
export function parseJsonc(text) {
  const plain = text.replace(/^\uFEFF/, '')
  return plain.trim() === '' ? {} : JSON.parse(withoutExtras(plain))
}

// A string, a comment, a comma with what may stand between it and a bracket, or any other character.
const tokens = /"(?:[^"\\]|\\[^])*"?|\/\/[^\n]*|\/\*[^]*?(?:\*\/|$)|[^]/g

/** @param {string} text */
function withoutExtras(text) {
  const kept = (text.match(tokens) ?? []).filter((token) => !/^\/[/*]/.test(token))
  let next = ''
  for (let i = kept.length - 1; i >= 0; i--) {
    const token = /** @type {string} */ (kept[i])
    if (token === ',' && (next === '}' || next === ']')) kept[i] = ''
    else if (token.trim() !== '') next = token
  }
  return kept.join('')
}
