/** The configuration file of `start`, in YAML or JSON. Reports every mistake with its line and the valid form; unknown keys are errors, and syntax errors say how to correct them. */
import {
  type Document,
  type ErrorCode,
  isCollection,
  isMap,
  isNode,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
  type YAMLParseError,
} from 'yaml'
import * as z from 'zod'
import { suggestion } from '../../base/text.js'
import { droppedKey, fieldAt } from '../../base/unknown.js'
import { fieldsAt } from '../../protocol/platform/fields.js'
import { defaultPort } from '../../protocol/settings/process.js'
import { readInputFile } from '../../runtime/node/files/input.js'
import { Failure } from '../errors.js'
import { flagOf, type SettingName, type Settings, setting, settingNames } from './settings.js'

const fileSettingNames = settingNames.filter((name) => setting(name).notInFile === undefined)
const fileSchema = z.strictObject(
  Object.fromEntries(fileSettingNames.map((name) => [name, setting(name).schema.optional()])),
)
const noSettings: Partial<Settings> = {}

/** Parses the file. Throws a `Failure` with every mistake (file, line, column, valid form), or `UnusableFile` if it cannot be read. */
export const readConfigFile = (file: string): Partial<Settings> =>
  readChecked(fileSchema, file, readInputFile('configuration', file, 'name another with --config')) ?? noSettings

/** Parses a file that contains the value of one setting. Throws as `readConfigFile` does. */
export const readValueFile = (name: SettingName, file: string): unknown =>
  readChecked(setting(name).schema, file, readInputFile('configuration', file, `name another with ${flagOf(name)}`)) ??
  {}

/** Parses and checks the text of a file; returns null for an empty file. */
function readChecked<Schema extends z.ZodType>(schema: Schema, file: string, bytes: Buffer): z.output<Schema> | null {
  const source = bytes.toString('utf8')
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number | undefined) => {
    const { line, col } = lines.linePos(offset ?? 0)
    return `${file}:${Math.max(1, line)}:${Math.max(1, col)}`
  }
  const syntaxErrors = syntaxErrorsOf(document, source).map(({ offset, message }) => `${at(offset)}: ${message}`)
  if (syntaxErrors.length > 0) throw new Failure(syntaxErrors.join('\n'))
  const value = normalizeKeys(contentOf(document, file))
  if (value === null) return null
  if (typeof value !== 'object' || Array.isArray(value))
    throw new Failure(`${at(0)}: the configuration must be a map of settings such as "port: ${defaultPort}"`)
  const result = schema.safeParse(value, {
    error: ({ code }) => (code === 'invalid_type' ? 'must be a map of settings' : undefined),
  })
  const dropped = result.success ? droppedKey(value, result.data) : undefined
  if (result.success && dropped === undefined) return result.data
  const issues: z.core.$ZodIssue[] =
    dropped === undefined
      ? (result.error?.issues ?? [])
      : [{ code: 'unrecognized_keys', keys: dropped.slice(-1), path: dropped.slice(0, -1), message: '' }]
  const mistakes = issues
    .flatMap((issue) => mistakesOf(schema, issue))
    .map(({ path, message }) => ({ offset: offsetOf(document, path) ?? 0, message }))
    .sort((one, other) => one.offset - other.offset)
  throw new Failure(mistakes.map(({ offset, message }) => `${at(offset)}: ${message}`).join('\n'))
}

/** Throws `Failure` for an unknown alias, and for aliases that expand to a text that is too large. */
function contentOf(document: Document, file: string): unknown {
  try {
    return document.toJS({ maxAliasCount: 100 })
  } catch (error) {
    throw new Failure(`${file}: ${error instanceof Error ? firstLine(error.message) : String(error)}`)
  }
}

const firstLine = (text: string) => text.split('\n', 1)[0] ?? ''

/** Accepts `webhook-url` for `webhook_url`, and `no_rate_limits: true` for `rate_limits: false`. */
function normalizeKeys(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([key, entry]): [string, unknown] => {
    const plain = key.replaceAll('-', '_')
    const positive = plain.replace(/^no_/, '')
    const isNegation = positive !== plain && fileSettingNames.some((name) => name === positive)
    return isNegation && typeof entry === 'boolean' ? [positive, !entry] : [plain, entry]
  })
  return Object.fromEntries(entries)
}

interface Mistake {
  path: readonly PropertyKey[]
  message: string
}

function mistakesOf(schema: z.ZodType, issue: z.core.$ZodIssue): Mistake[] {
  const { path } = issue
  if (issue.code === 'unrecognized_keys') {
    const known = fieldsAt(schema, path)
    return issue.keys.map((key) => ({
      path: [...path, key],
      message: `${[...path, key].join('.')} is not a setting${suggestion(key, known)}`,
    }))
  }
  const rule = issue.code === 'invalid_key' ? (issue.issues[0]?.message ?? 'is not allowed here') : issue.message
  return [{ path, message: `${path.join('.')} ${rule}` }]
}

/** Returns the offset of a path in the text: of its key, or of the nearest existing parent. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const above = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const key = String(path[length - 1])
    const pair = (isMap(above) ? above.items : []).find((item) => {
      const keyText = String(fieldAt(item.key, 'value'))
      return keyText.replaceAll('-', '_').replace(/^no_/, '') === key || keyText === key
    })
    const begin = offsetOfNode(pair?.key) ?? offsetOfNode(document.getIn(path.slice(0, length), true))
    if (begin !== undefined) return begin
  }
  return undefined
}

const offsetOfNode = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined)

/** A colon inside a value, an indented line, or a line without a colon. */
const onePerLine =
  'write each setting as "name: value" on a line of its own, indent nested ones below their name, and quote a value that contains ": "'

const remedies: Partial<Record<ErrorCode, string>> = {
  TAB_AS_INDENT: 'indent with spaces',
  BAD_INDENT: 'indent lines of the same level by the same number of spaces',
  BLOCK_AS_IMPLICIT_KEY: onePerLine,
  MULTILINE_IMPLICIT_KEY: onePerLine,
  BLOCK_IN_FLOW: 'put a comma between the entries',
  DUPLICATE_KEY: 'remove one of the two settings of this name',
  BAD_SCALAR_START: 'put the value in quotes',
  BAD_DQ_ESCAPE: 'use single quotes, or write \\\\ for a backslash',
  MULTIPLE_DOCS: 'put all settings into one document, without --- between them',
  UNEXPECTED_TOKEN: 'remove it, or put the whole value in quotes',
}

interface SyntaxError {
  offset: number
  message: string
}

/** One error for each position: the parser reports the consequences of a mistake too. */
function syntaxErrorsOf(document: Document, source: string): SyntaxError[] {
  const found = new Map<number, SyntaxError>()
  for (const error of document.errors) {
    const one = explain(error, document, source)
    if (!found.has(one.offset)) found.set(one.offset, one)
  }
  return [...found.values()]
}

function explain({ code, pos: [offset], message }: YAMLParseError, document: Document, source: string): SyntaxError {
  const opened = openedBefore(offset, document, source)
  if (opened !== null) {
    const sign = source.charAt(opened)
    return { offset: opened, message: `this ${sign} is not closed; add ${closing[sign]} at the end of the value` }
  }
  const [what = ''] = message.split('\n', 1)
  return { offset, message: `not valid YAML: ${what}; ${remedies[code] ?? onePerLine}` }
}

const closing: Readonly<Record<string, string>> = { '"': '"', "'": "'", '[': ']', '{': '}' }

/** Returns the offset of the quote or bracket that is open at the offset; null if all are closed. */
function openedBefore(offset: number, document: Document, source: string): number | null {
  let opened: number | null = null
  visit(document, {
    Node(_key, node) {
      const [start, end] = node.range ?? [0, 0]
      const close = closing[source.charAt(start)]
      const isDelimited = (isScalar(node) && node.type?.startsWith('QUOTE')) || (isCollection(node) && node.flow)
      const isClosed = end - start > 1 && source.charAt(end - 1) === close
      if (isDelimited && close !== undefined && !isClosed && end <= offset) opened = start
    },
  })
  return opened
}
