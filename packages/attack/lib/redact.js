/**
 * Writes secrets out of a text, also where they are escaped, encoded or in another case.
 * @param {string[]} secrets
 */
export function redactor(secrets) {
  const forms = secrets
    .filter((secret) => secret.length >= 8)
    .flatMap((secret) => [secret, encodeURIComponent(secret), Buffer.from(secret).toString('base64')])
    .map((form) => form.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
  const pattern = forms.length === 0 ? undefined : new RegExp(forms.join('|'), 'gi')
  return (/** @type {string} */ text) => (pattern === undefined ? text : text.replaceAll(pattern, '[key]'))
}
