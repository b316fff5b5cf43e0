/** The shape of a row of the control API: what a route takes and answers, from which its check, its types and its documentation are made. */
import type * as z from 'zod'
import type { ErrorCode } from '../platform/errors.js'

/** Schemas are functions, so that starting does not pay for those that nobody asks for. */
export interface ControlRow {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  /** Below `/_sandbox`, with its parameters in braces: `/accounts/{username}`. */
  path: string
  summary: string
  /** Where a parameter of the path may not be any text. */
  params?: () => z.ZodObject
  /** None where absent. */
  query?: () => z.ZodObject
  /** An object of JSON; none, or an empty one, where absent. */
  body?: () => z.ZodType
  /** The handler reads the body itself: of these types, or of any. */
  raw?: readonly string[] | 'any'
  /** A body without a type is taken too: files are sent so. */
  untyped?: true
  /** JSON with this status, 200 unless said; nothing at all and 204 where neither this nor `media` is given. */
  answer?: () => z.ZodType
  /** An answer that is no JSON. */
  media?: string
  /** The handler sends its JSON piece by piece. */
  streamed?: true
  /** Answers with further statuses that are no errors, and why. */
  also?: Readonly<Record<string, string>>
  /** The body of those, where they have one. */
  alsoAnswer?: () => z.ZodType
  /** Codes that it answers beyond those of every route. */
  errors?: readonly ErrorCode[]
  /** A body that works as it stands, or nearly. */
  example?: Readonly<Record<string, unknown>>
}

export const route = <const Row extends ControlRow>(row: Row): Row => row

/** Made when first asked for, then always the same. `id` names the schema wherever it is referred to. */
export function model<Schema extends z.ZodType>(id: string, make: () => Schema): () => Schema {
  let made: Schema | undefined
  return () => {
    made ??= make().meta({ id }) as Schema
    return made
  }
}

type Names<Path extends string> = Path extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never
type Out<Row, Part extends keyof ControlRow, Else> =
  Row extends Record<Part, () => infer Schema extends z.ZodType> ? z.output<Schema> : Else

export type ParamsOf<Row extends ControlRow> = Record<Names<Row['path']>, string>
export type QueryOf<Row extends ControlRow> = Out<Row, 'query', Record<never, never>>
export type BodyOf<Row extends ControlRow> = Out<Row, 'body', Record<never, never>>
/** null: 204. */
export type AnswerOf<Row extends ControlRow> = Out<Row, 'answer', null>
