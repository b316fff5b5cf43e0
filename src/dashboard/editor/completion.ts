/** What can stand at a place of a YAML text, by a JSON Schema. Works on texts that are not complete yet. */
import { rowAt } from '../../base/keys.js'

export interface Schema {
  $ref?: string
  $defs?: Record<string, Schema>
  anyOf?: Schema[]
  properties?: Record<string, Schema>
  items?: Schema
  enum?: unknown[]
  type?: string | string[]
  description?: string
  examples?: unknown[]
}

/** A key of a map, or `item` for the entries of a list. */
type PathPart = { key: string } | 'item'

interface Place {
  path: PathPart[]
  /** After a key and its colon; otherwise a key is expected. */
  isValue: boolean
  /** Characters before the place that belong to the word. */
  word: string
}

interface Token {
  indent: number
  part: PathPart
}

const keyAndColon = /^([\w.$-]+|"[^"]*"):(?:\s+|$)/

/** The hyphens and the key at the start of a line, and the text after them. */
function readLine(line: string): { tokens: Token[]; rest: string } {
  const tokens: Token[] = []
  let indent = line.length - line.trimStart().length
  let rest = line.slice(indent)
  while (/^-(?:\s|$)/.test(rest)) {
    tokens.push({ indent, part: 'item' })
    const after = rest.slice(1).trimStart()
    indent += rest.length - after.length
    rest = after
  }
  const [whole, key] = keyAndColon.exec(rest) ?? []
  if (whole === undefined || key === undefined) return { tokens, rest }
  tokens.push({ indent, part: { key: key.replaceAll('"', '') } })
  return { tokens, rest: rest.slice(whole.length) }
}

/** The maps and lists in braces and brackets that a text opens, and whether a value is expected at its end. */
function readFlow(text: string): { path: PathPart[]; isValue: boolean } {
  const open: { isList: boolean; key: string | null }[] = []
  for (const [token] of text.matchAll(/[{}[\],]|[^\s{}[\],]+/g)) {
    const inner = open.at(-1)
    if (token === '{' || token === '[') open.push({ isList: token === '[', key: null })
    else if (token === '}' || token === ']') open.pop()
    else if (token === ',' && inner !== undefined) inner.key = null
    else if (token.endsWith(':') && inner?.isList === false) inner.key ??= token.slice(0, -1)
  }
  const path = open.flatMap(({ isList, key }): PathPart[] => (isList ? ['item'] : key === null ? [] : [{ key }]))
  const last = open.at(-1)
  return { path, isValue: last === undefined || last.isList || last.key !== null }
}

/** The last characters of a text that a name or a reference can have. */
function wordBefore(text: string): string {
  let at = text.length
  while (at > 0 && /[\w.$-]/.test(text.charAt(at - 1))) at--
  return text.slice(at)
}

/** `lines` ends with the part of the current line before the cursor. */
export function placeAt(lines: readonly string[]): Place {
  const current = lines.at(-1) ?? ''
  const { tokens, rest } = readLine(current)
  const word = wordBefore(rest)
  const flow = readFlow(rest.slice(0, rest.length - word.length))
  const isAfterKey = tokens.length > 0 && tokens.at(-1)?.part !== 'item'
  const path = [...tokens.map(({ part }) => part), ...flow.path]
  // A list may stand at the indentation of its key.
  let limit = tokens[0] === undefined ? current.length - current.trimStart().length : tokens[0].indent
  if (tokens[0]?.part === 'item') limit++
  for (const line of lines.slice(0, -1).toReversed()) {
    for (const { indent, part } of readLine(line).tokens.toReversed()) {
      if (indent >= limit || (path[0] === 'item' && part === 'item')) continue
      path.unshift(part)
      limit = part === 'item' ? indent + 1 : indent
    }
  }
  const isInFlow = /[{[]/.test(rest)
  return { path, isValue: isInFlow ? flow.isValue : isAfterKey, word }
}

/** All schemas that a value at this path may have. */
function schemasAt(root: Schema, path: readonly PathPart[]): Schema[] {
  const resolve = (schema: Schema): Schema[] => {
    const target = schema.$ref === undefined ? undefined : root.$defs?.[schema.$ref.split('/').at(-1) ?? '']
    const all = target === undefined ? [schema] : [schema, ...resolve(target)]
    return [...all, ...(schema.anyOf ?? []).flatMap(resolve)]
  }
  let found = resolve(root)
  for (const part of path)
    found = found
      .flatMap((schema) => (part === 'item' ? schema.items : rowAt(schema.properties, part.key)) ?? [])
      .flatMap(resolve)
  return found
}

export interface Suggestion {
  label: string
  info: string
  isKey: boolean
}

export function suggestionsAt(root: Schema, { path, isValue }: Place): Suggestion[] {
  const schemas = schemasAt(root, path)
  const keys = schemas.flatMap(({ properties = {} }) =>
    Object.entries(properties).map(([label, one]) => ({ label, info: one.description ?? '', isKey: true })),
  )
  const values = schemas.flatMap((schema) =>
    [...(schema.enum ?? []), ...(schema.type === 'boolean' ? [true, false] : []), ...(schema.examples ?? [])].flatMap(
      (value) =>
        typeof value === 'object' ? [] : { label: String(value), info: schema.description ?? '', isKey: false },
    ),
  )
  const isItem = path.at(-1) === 'item'
  const fitting = isItem ? [...keys, ...values] : isValue ? values : keys
  // An action stands alone as well as with parameters: its description is that of its key.
  const byLabel = new Map<string, Suggestion>()
  for (const one of fitting) byLabel.set(one.label, { ...one, info: byLabel.get(one.label)?.info ?? one.info })
  return [...byLabel.values()]
}
