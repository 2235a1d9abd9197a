/**
 * Makes any text inert in a Slack message: no `<!channel>`, `<@U…>` or `<url|false label>` survives. Pure.
 * @returns the same text when Slack has shown it; up to five times as long in transit
 * @source Slack's formatting rules: these three characters, in this order, and no others
 */
export function escapeSlackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Makes any text inert in HTML, in an element or in a quoted attribute. Pure. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => htmlEntities[character]!)
}

const htmlEntities: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}
