/** Reduces JSON Schema to the few kinds of types that every language has: text, numbers, objects, lists. */
import type { Schema } from '../../src/http/openapi/json-schema.js'

/** `decimal` is a JSON number or a decimal string: never a binary floating-point number. `map` has texts by name. */
export type FieldType =
  | { kind: 'text'; values: readonly string[] }
  | { kind: 'integer' | 'decimal' | 'boolean' | 'time' | 'map' | 'any' }
  | { kind: 'object'; name: string }
  | { kind: 'list'; of: FieldType }

export interface Field {
  /** As in JSON, such as `external_id`. */
  name: string
  type: FieldType
  optional: boolean
  nullable: boolean
  about: string
}

export interface ObjectType {
  /** Such as `CashinResponse` or `CashinResponsePaymentInfo`. */
  name: string
  fields: readonly Field[]
}

/** `infraction_reply`, `infractionReply` and `infraction.reply` become `InfractionReply`. */
export const pascal = (name: string) => name.replace(/(?:^|[._])(.)/g, (_, letter: string) => letter.toUpperCase())

const singular = (name: string) => name.replace(/ies$/, 'y').replace(/s$/, '')

/** A number in text. */
const decimalPattern = '^-?\\d+(\\.\\d+)?$'

/** A schema with the schemas that its references name. */
type Root = Schema & { $defs?: Readonly<Record<string, Schema>> }

/** A schema without references; `model` is the name of the reference that led to it. */
type Resolved = Schema & { model?: string }

export class TypeCollector {
  readonly #types = new Map<string, ObjectType>()
  #definitions: Root['$defs'] = {}

  /** Adds the type of an object and of the objects within it. */
  add(name: string, root: Root): void {
    this.#definitions = root.$defs ?? {}
    this.#add(name, root)
  }

  #add(name: string, node: Schema): void {
    const variants = this.#variantsOf(node).filter(({ properties }) => properties !== undefined)
    const names = [...new Set(variants.flatMap(({ properties = {} }) => Object.keys(properties)))]
    const fields = names.map((field) => this.#field(name, field, variants))
    this.#types.set(name, { name, fields })
  }

  all(): ObjectType[] {
    return [...this.#types.values()]
  }

  /** A field of a union is optional unless all variants require it. */
  #field(owner: string, name: string, variants: readonly Schema[]): Field {
    const nodes = variants.flatMap(({ properties = {} }) => properties[name] ?? [])
    const inner = nodes.flatMap((node) => this.#variantsOf(node))
    const present = inner.filter(({ type }) => type !== 'null')
    return {
      name,
      type: this.#typeOf(`${owner}${pascal(name.replace('[]', ''))}`, present),
      optional: !variants.every(({ required = [] }) => required.includes(name)),
      nullable: present.length < inner.length,
      about: nodes.find(({ description }) => description !== undefined)?.description ?? '',
    }
  }

  #typeOf(fieldName: string, nodes: readonly Resolved[]): FieldType {
    const [first] = nodes
    if (first === undefined) return { kind: 'any' }
    const name = nodes.length === 1 && first.model !== undefined ? first.model : fieldName
    if (first.properties !== undefined) {
      this.#add(name, { anyOf: [...nodes] })
      return { kind: 'object', name }
    }
    if (first.type === 'array')
      return { kind: 'list', of: this.#typeOf(singular(name), this.#variantsOf(first.items ?? {})) }
    if (first.type === 'integer' || first.type === 'boolean') return { kind: first.type }
    if (typeof first.additionalProperties === 'object')
      return { kind: first.additionalProperties.type === 'string' ? 'map' : 'any' }
    if (first.format === 'date-time') return { kind: 'time' }
    // A duration is a number of seconds or a text.
    const isDuration = first.pattern === undefined && nodes.some(({ type }) => type === 'string')
    if ((first.type === 'number' && !isDuration) || first.pattern === decimalPattern) return { kind: 'decimal' }
    const values = [...new Set(nodes.flatMap(({ enum: all, const: one }) => all ?? (one === undefined ? [] : [one])))]
    if (first.type === 'string' || isDuration || values.length > 0) return { kind: 'text', values: values.map(String) }
    return { kind: 'any' }
  }

  #variantsOf(node: Schema): Resolved[] {
    const variants = node.anyOf ?? node.oneOf
    if (variants !== undefined) return variants.flatMap((one) => this.#variantsOf(one))
    if (node.$ref !== undefined) {
      const model = node.$ref.slice(node.$ref.lastIndexOf('/') + 1)
      return this.#variantsOf(this.#definitions?.[model] ?? {}).map((one) => ({ ...one, model }))
    }
    if (Array.isArray(node.type)) return node.type.map((type) => ({ ...node, type }))
    return [node]
  }
}
