/** Turns the zod schemas of the tables into JSON Schema as a reader wants it: described, without what only zod needs. */
import * as z from 'zod'
import { fieldNotes } from './field-notes.js'
import type { Schema } from './types.js'

/** What only the check of an input reads, and zod's own names. */
interface Internal {
  code?: unknown
  unknownCode?: unknown
  listed?: unknown
  id?: unknown
  prefixItems?: unknown
}

/** zod's own bounds of an integer say nothing about the field. */
const beyondInteger = (value: number | undefined) => value !== undefined && Math.abs(value) === Number.MAX_SAFE_INTEGER

/** Draft 2020-12, the dialect of OpenAPI 3.1. `input`: what may be sent; `output`: what is answered. */
export function jsonSchema(type: z.ZodType, io: 'input' | 'output', owner: string): Schema {
  const { $schema: _dialect, ...schema } = z.toJSONSchema(type, {
    io,
    unrepresentable: 'any',
    // zod's types of JSON Schema are wider than what the tables make.
    override: ({ jsonSchema: node, path }) => tidy(node as Schema & Internal, owner, path),
  })
  // Likewise.
  return schema as Schema
}

function tidy(node: Schema & Internal, owner: string, path: readonly (string | number)[]): void {
  delete node.code
  delete node.unknownCode
  delete node.listed
  delete node.id
  // A list with a first item is one that is not empty.
  delete node.prefixItems
  // An answer may grow fields; only our own surface refuses unknown ones.
  if (node.additionalProperties === false && !owner.startsWith('Sandbox')) delete node.additionalProperties
  if (beyondInteger(node.minimum)) delete node.minimum
  if (beyondInteger(node.maximum)) delete node.maximum
  if (node.format === 'date-time') {
    if (node.pattern?.endsWith('(?:Z))$') === true) node.pattern = 'Z$'
    else delete node.pattern
  } else if (node.format !== undefined) delete node.pattern
  const field = path.at(-1)
  if (path.at(-2) !== 'properties' || typeof field !== 'string') return
  const isOurs = owner.startsWith('Sandbox')
  if (isOurs && (node.description !== undefined || ambiguous.includes(field))) return
  const note = fieldNotes[`${owner}.${field}`] ?? fieldNotes[field]
  // A field that is optional comes by twice.
  if (note === undefined || node.description?.startsWith(note) === true) return
  node.description = node.description === undefined ? note : `${note} ${sentence(node.description)}`
}

/** Names that mean something else on our own surface. */
const ambiguous = ['id', 'status', 'type', 'error_code', 'name', 'message', 'postback_url', 'request_id']

const sentence = (text: string) => `${text.charAt(0).toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}`
