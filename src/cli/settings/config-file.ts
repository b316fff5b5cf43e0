/** The configuration file of `start`: YAML or JSON, every key known, every mistake told with its line and what would be right. */

import { type Document, isMap, isNode, LineCounter, parseDocument } from 'yaml'
import * as z from 'zod'
import { nearest } from '../../base/nearest.js'
import { stepInto } from '../../base/unknown.js'
import { readInputFile } from '../../platform/node/files/input.js'
import { fieldsAt } from '../../protocol/api/schema-walk.js'
import { didYouMean, Failure } from '../errors.js'
import { type Settings, setting, settingNames } from './settings.js'

const inFile = settingNames.filter((name) => setting(name).notInFile === undefined)
const fileSchema = z.strictObject(Object.fromEntries(inFile.map((name) => [name, setting(name).schema.optional()])))

/** What the file sets. Throws a `Failure` with file, line, column and what is right. */
export function readConfigFile(file: string): Partial<Settings> {
  const source = readInputFile('configuration', file, 'name another with --config').toString('utf8')
  const lines = new LineCounter()
  const document = parseDocument(source, { lineCounter: lines, prettyErrors: false })
  const at = (offset: number | undefined) => {
    const { line, col } = lines.linePos(offset ?? 0)
    return `${file}:${Math.max(1, line)}:${Math.max(1, col)}`
  }
  const [broken] = document.errors
  if (broken !== undefined) throw new Failure(`${at(broken.pos[0])}: ${firstLine(broken.message)}`)
  const value = withPlainKeys(document.toJS({ maxAliasCount: 100 }))
  if (value === null) return {}
  if (typeof value !== 'object' || Array.isArray(value))
    throw new Failure(`${at(0)}: a configuration is a table of settings such as "port: 4010"`)
  const result = fileSchema.safeParse(value)
  if (result.success) return result.data
  throw new Failure(mistakes(result.error.issues, (path) => at(offsetOf(document, path))))
}

const firstLine = (text: string) => text.split('\n', 1)[0] ?? ''

/** `webhook-url` is as good as `webhook_url`, and `no_rate_limits: true` as `rate_limits: false`. */
function withPlainKeys(value: unknown): unknown {
  if (value === null || typeof value !== 'object' || Array.isArray(value)) return value
  const entries = Object.entries(value).map(([key, held]): [string, unknown] => {
    const plain = key.replaceAll('-', '_')
    const positive = plain.replace(/^no_/, '')
    const isNegation = positive !== plain && inFile.some((name) => name === positive)
    return isNegation && typeof held === 'boolean' ? [positive, !held] : [plain, held]
  })
  return Object.fromEntries(entries)
}

/** The first mistake, and how many more there are: a start has one line to say it in. */
function mistakes(issues: readonly z.core.$ZodIssue[], place: (path: readonly PropertyKey[]) => string): string {
  const [first] = issues
  if (first === undefined) return 'the configuration is invalid'
  const more = issues.length === 1 ? '' : ` (and ${issues.length - 1} more)`
  if (first.code === 'unrecognized_keys') {
    const key = first.keys[0] ?? ''
    const known = first.path.length === 0 ? inFile : fieldsAt(fileSchema, first.path)
    const name = [...first.path, key].join('.')
    const right = nearest(key, known)
    const rule = right === null ? `; known are ${known.join(', ')}` : didYouMean(right)
    return `${place([...first.path, key])}: ${name} is no setting${rule}${more}`
  }
  if (first.code === 'invalid_key') {
    const rule = first.issues[0]?.message ?? 'is no name here'
    return `${place(first.path)}: ${first.path.join('.')} ${rule}${more}`
  }
  return `${place(first.path)}: ${first.path.join('.')} ${messageOf(first)}${more}`
}

/** zod's own words appear only for a wrong type or an absent field. */
function messageOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_type' && issue.message.startsWith('Invalid input')) return `must be a table of settings`
  return issue.message
}

/** Where a path begins in the text: the key itself, or the nearest part above it that is there. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number | undefined {
  for (let length = path.length; length > 0; length--) {
    const above = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true)
    const key = String(path[length - 1])
    const pair = (isMap(above) ? above.items : []).find((item) => {
      const written = String(stepInto(item.key, 'value'))
      return written.replaceAll('-', '_').replace(/^no_/, '') === key || written === key
    })
    const begin = offsetOfNode(pair?.key) ?? offsetOfNode(document.getIn(path.slice(0, length), true))
    if (begin !== undefined) return begin
  }
  return undefined
}

const offsetOfNode = (node: unknown): number | undefined => (isNode(node) ? node.range?.[0] : undefined)
