/** HTML as text in which whatever is put in is escaped, unless it is HTML already. */

export class Html {
  constructor(readonly text: string) {}
}

type Part = Html | string | number | null | readonly Part[]

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

export const escapeText = (text: string) => text.replace(/[&<>"']/g, (char) => entities[char] ?? char)

function render(part: Part): string {
  if (part === null) return ''
  if (part instanceof Html) return part.text
  if (typeof part === 'object') return part.map(render).join('')
  return escapeText(String(part))
}

/** html`<p>${text}</p>`; lists are joined, null is nothing. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.map((text, index) => text + render(parts[index] ?? null)).join(''))
}

/** Text in which `back-ticked` words become code. */
export function prose(text: string): Html[] {
  return text.split('`').map((part, index) => (index % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

/** Marks what the platform does not document. */
export const guess = html`<span class="guess" title="Not documented by the platform: the sandbox's choice">our guess</span>`

const token = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null|-?\d[\d.eE+-]*)/g

/** A value as indented JSON, its keys, texts and words told apart. */
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
