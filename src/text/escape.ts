/**
 * Escapes a text for Slack: `<!channel>`, `<@U…>` and `<url|false label>` have no effect. Pure.
 * @returns the same text as displayed; up to five times as long in transit
 * @source Slack's formatting rules: these three characters, in this order, and no others
 */
export function escapeSlackText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
}

/** Escapes a text for HTML, in an element or a quoted attribute. Pure. */
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
