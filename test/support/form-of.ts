/**
 * The fields of the form on a page that leads to `action`, as a browser without a script would send them.
 * @param action  absent: the form that leads back to the page itself
 */
export function formOf(html: string, action?: string): Record<string, string> {
  const forms = html.match(/<form[^]*?<\/form>/g) ?? []
  const form = forms.find((one) => /^<form[^>]*action="([^"#]*)/.exec(one)?.[1] === action)
  if (!form) throw new Error(`the page has no form to ${action ?? 'itself'}`)
  const fields: [string, string][] = []
  for (const [tag] of form.matchAll(/<input[^]*?>|<select[^]*?<\/select>|<textarea[^]*?<\/textarea>/g)) {
    const name = attribute(tag, 'name')
    if (name !== undefined) fields.push([name, valueOf(tag)])
  }
  return Object.fromEntries(fields)
}

function valueOf(tag: string): string {
  if (tag.startsWith('<input')) return attribute(tag, 'value') ?? ''
  // A line break right behind the tag is none of the text.
  if (tag.startsWith('<textarea')) return unescaped(/>\n?([^]*)<\/textarea>$/.exec(tag)![1]!)
  const options = [...tag.matchAll(/<option[^>]*>/g)].map(([option]) => option)
  return attribute(options.find((option) => / selected/.test(option)) ?? options[0]!, 'value')!
}

const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)
  return found ? unescaped(found[1]!) : undefined
}

const unescaped = (text: string): string =>
  text
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
