/** The type of a route of the control API: its input and its response. Validation, types and documentation follow from it. */
import type * as z from 'zod'
import type { ErrorCode } from '../platform/errors.js'

export interface ToolOfRoute {
  name: string
  /** The description for agents. */
  says: string
  /** Arguments that show how the tool is called. */
  example: Readonly<Record<string, unknown>>
  /** Whether the tool is listed unless others are selected. */
  isDefault?: true
}

/** Schemas are functions, so that unused ones cost nothing at start. */
export interface ControlRow {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/_sandbox`, with parameters in braces: `/accounts/{username}`. */
  path: string
  summary: string
  /** Restricts parameters of the path (default: any text). */
  params?: () => z.ZodObject
  /** Query parameters (default: none). */
  query?: () => z.ZodObject
  /** A JSON object (default: none, or an empty one). */
  body?: () => z.ZodType
  /** Media types of a body that the handler reads itself. */
  rawBodyTypes?: readonly string[] | 'any'
  /** Accepts a body without Content-Type too, because files are often sent so. */
  acceptsNoMediaType?: true
  /** JSON with this status (default: 200). Without it and without `mediaType`: 204 and no body. */
  answer?: () => z.ZodType
  /** The media type of an answer that is not JSON. */
  mediaType?: string
  /** Media types in which the same answer is available as text. */
  alsoMedia?: readonly string[]
  /** The handler streams its JSON. */
  streamed?: true
  /** Further success statuses, each with its meaning. */
  otherStatuses?: Readonly<Record<string, string>>
  /** The body of those answers, if they have one. */
  otherResponse?: () => z.ZodType
  /** Error codes beyond those of every route. */
  errors?: readonly ErrorCode[]
  /** The tool by which agents call the route. */
  tool?: ToolOfRoute
  /** A request body for the documentation. It may need an existing object. */
  example?: Readonly<Record<string, unknown>>
}

export const route = <const Row extends ControlRow>(row: Row): Row => row

/** Built on first use and then cached. `id` names the schema in references. */
export function model<Schema extends z.ZodType>(id: string, make: () => Schema): () => Schema {
  let schema: Schema | undefined
  return () => {
    schema ??= make().meta({ id }) as Schema
    return schema
  }
}

type PathParameters<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}`
  ? Name | PathParameters<Rest>
  : never
type OutputOf<Row, Part extends keyof ControlRow, Else> =
  Row extends Record<Part, () => infer Schema extends z.ZodType> ? z.output<Schema> : Else

export type ParamsOf<Row extends ControlRow> = Record<PathParameters<Row['path']>, string>
export type QueryOf<Row extends ControlRow> = OutputOf<Row, 'query', Record<never, never>>
export type BodyOf<Row extends ControlRow> = OutputOf<Row, 'body', Record<never, never>>
/** null stands for 204. */
export type AnswerOf<Row extends ControlRow> = OutputOf<Row, 'answer', null>
