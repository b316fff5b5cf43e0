/** Indents JSON without parsing its values: strings and numbers stay exactly as received. */
import { parseUntrustedJson } from '../base/json.js'

export interface Token {
  kind: 'key' | 'string' | 'number' | 'literal' | 'punctuation' | 'space'
  text: string
}

export function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && parseUntrustedJson(text) !== undefined
}

const tokenPattern = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g

/** Splits JSON text into tokens and adds whitespace tokens that indent it. */
export function tokens(text: string): Token[] {
  const words = text.match(tokenPattern) ?? []
  const found: Token[] = []
  let depth = 0
  const space = (value: string) => found.push({ kind: 'space', text: value })
  const line = () => space(`\n${'  '.repeat(depth)}`)
  words.forEach((word, index) => {
    const next = words[index + 1]
    const closes = word === '}' || word === ']'
    const previous = words[index - 1]
    if (closes) {
      depth--
      if (previous !== '{' && previous !== '[') line()
    }
    found.push({ kind: kindOf(word, next), text: word })
    if (word === '{' || word === '[') {
      depth++
      if (next !== '}' && next !== ']') line()
    }
    if (word === ',') line()
    if (word === ':') space(' ')
  })
  return found
}

function kindOf(word: string, next: string | undefined): Token['kind'] {
  if (word.startsWith('"')) return next === ':' ? 'key' : 'string'
  if (/^[\d-]/.test(word)) return 'number'
  return /^[a-z]/.test(word) ? 'literal' : 'punctuation'
}

/** Valid JSON stays as it is; anything else becomes a string, which the API rejects by name. */
export const jsonLiteral = (value: string): string =>
  parseUntrustedJson(value) === undefined ? JSON.stringify(value) : value.trim()
