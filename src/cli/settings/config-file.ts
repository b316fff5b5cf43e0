/** The configuration file of `start`, in YAML or JSON. Reports every mistake with its line and the valid form; unknown keys are errors. */

import { type Document, isMap, isNode, LineCounter, parseDocument } from 'yaml'
import * as z from 'zod'
import { nearest } from '../../base/nearest.js'
import { stepInto } from '../../base/unknown.js'
import { fieldsAt } from '../../protocol/platform/schema-walk.js'
import { defaultPort } from '../../protocol/settings/address.js'
import { readInputFile } from '../../runtime/node/files/input.js'
import { didYouMean, Failure } from '../errors.js'
import { type Settings, setting, settingNames } from './settings.js'

const inFile = settingNames.filter((name) => setting(name).notInFile === undefined)
const fileSchema = z.strictObject(Object.fromEntries(inFile.map((name) => [name, setting(name).schema.optional()])))

/** Parses the file. Throws a `Failure` with every mistake (file, line, column, valid form), or `UnusableFile` if it cannot be read. */
export function readConfigFile(file: string): Partial<Settings> {
  const source = readInputFile('configuration', file, 'name another with --config').toString('utf8')
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number | undefined) => {
    const { line, col } = lines.linePos(offset ?? 0)
    return `${file}:${Math.max(1, line)}:${Math.max(1, col)}`
  }
  const syntaxErrors = document.errors.map(({ pos, message }) => `${at(pos[0])}: ${firstLine(message)}`)
  if (syntaxErrors.length > 0) throw new Failure(syntaxErrors.join('\n'))
  const value = withPlainKeys(document.toJS({ maxAliasCount: 100 }))
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value))
    throw new Failure(`${at(0)}: the configuration must be a table of settings such as "port: ${defaultPort}"`)
  const result = fileSchema.safeParse(value)
  if (result.success) return result.data
  const mistakes = result.error.issues
    .flatMap(mistakesOf)
    .map(({ path, message }) => ({ offset: offsetOf(document, path) ?? 0, message }))
    .sort((one, other) => one.offset - other.offset)
  throw new Failure(mistakes.map(({ offset, message }) => `${at(offset)}: ${message}`).join('\n'))
}

const firstLine = (text: string) => text.split('\n', 1)[0] ?? ''

/** Accepts `webhook-url` for `webhook_url`, and `no_rate_limits: true` for `rate_limits: false`. */
function withPlainKeys(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([key, entry]): [string, unknown] => {
    const plain = key.replaceAll('-', '_')
    const positive = plain.replace(/^no_/, '')
    const isNegation = positive !== plain && inFile.some((name) => name === positive)
    return isNegation && typeof entry === 'boolean' ? [positive, !entry] : [plain, entry]
  })
  return Object.fromEntries(entries)
}

interface Mistake {
  path: readonly PropertyKey[]
  message: string
}

function mistakesOf(issue: z.core.$ZodIssue): Mistake[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') {
    const known = path.length === 0 ? inFile : fieldsAt(fileSchema, path)
    return issue.keys.map((key) => {
      const right = nearest(key, known)
      const rule = right === null ? `; use one of ${known.join(', ')}` : didYouMean(right)
      return { path: [...path, key], message: `${[...path, key].join('.')} is not a setting${rule}` }
    })
  }
  const rule = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? 'is not allowed here') : messageOf(issue)
  return [{ path, message: `${path.join('.')} ${rule}` }]
}

/** Replaces zod's message for a wrong type or a missing field. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input')) return `must be a table of settings`
  return issue.message
}

/** The offset of a path in the text: of its key, or of the nearest existing parent. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const above = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const key = String(path[length - 1])
    const pair = (isMap(above) ? above.items : []).find((item) => {
      const keyText = String(stepInto(item.key, 'value'))
      return keyText.replaceAll('-', '_').replace(/^no_/, '') === key || keyText === key
    })
    const begin = offsetOfNode(pair?.key) ?? offsetOfNode(document.getIn(path.slice(0, length), true))
    if (begin !== undefined) return begin
  }
  return undefined
}

const offsetOfNode = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined)
