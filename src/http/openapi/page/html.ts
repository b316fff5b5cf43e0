/** HTML fragments that the API page uses repeatedly. */
import { type Html, html } from '../../html.js'

/** Text in which `back-ticked` words become code. */
export function prose(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

/** A label for facts that the platform does not document. */
export const assumedMark = html`<span class="assumed" title="Not documented by the platform: a choice of the sandbox">assumed</span>`

const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null|-?\d[\d.eE+-]*)/g

/** Renders a value as indented JSON, with syntax highlighting. */
export function json(value: unknown): Html {
  const text = JSON.stringify(value, null, 2) ?? ''
  const parts: Html[] = []
  let end = 0
  for (const match of text.matchAll(token)) {
    const [all, quoted, colon] = match
    const kind = quoted === undefined ? 'word' : colon === undefined ? 'text' : 'key'
    parts.push(html`${text.slice(end, match.index)}<i class="${kind}">${quoted ?? all}</i>${colon ?? ''}`)
    end = match.index + all.length
  }
  return html`${parts}${text.slice(end)}`
}
