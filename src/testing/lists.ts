/** Lists of the control API, read to their end. */
import type { ControlClient } from '../client/control.js'

interface Page<T> {
  data: T[]
  next: string | null
}

export type Filter = Readonly<Record<string, string | number | undefined>>

/** Every row, newest first. */
export async function readAll<T>(control: ControlClient, path: string, filter: Filter = {}): Promise<T[]> {
  const query = Object.fromEntries(
    Object.entries(filter).map(([key, value]) => [key, value === undefined ? undefined : String(value)]),
  )
  const rows: T[] = []
  for (let after: string | null | undefined; after !== null; ) {
    const page: Page<T> = await control.call('GET', path, undefined, { query: { ...query, limit: '500', after } })
    rows.push(...page.data)
    after = page.next
  }
  return rows
}

/** A part of a path. */
export const part = (id: string | number): string => encodeURIComponent(String(id))
