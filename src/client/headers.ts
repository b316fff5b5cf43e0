/** Reads headers from the objects of any framework. */

/** Node's `IncomingMessage.headers`, a Fetch `Headers`, or a plain object; names in any case. */
export type HeaderSource =
  | { get(name: string): string | null | undefined }
  | Readonly<Record<string, string | readonly string[] | undefined>>

/** Undefined if the header is missing, or occurs several times with different values. */
export function headerOf(headers: HeaderSource, name: string): string | undefined {
  if (typeof headers.get === 'function') return headers.get(name) ?? undefined
  const values = Object.entries(headers as Record<string, string | readonly string[] | undefined>)
    .filter(([key]) => key.toLowerCase() === name)
    .flatMap(([, value]) => value ?? [])
  return new Set(values).size === 1 ? values[0] : undefined
}
