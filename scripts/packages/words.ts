/** Names and sentences that several languages render from the tables. */
import type { PackageData } from './data.js'

/** `infractionReply` and `InfractionReply` become `infraction_reply`. */
export const snake = (name: string): string =>
  name.replace(/[A-Z]/g, (letter, at: number) => `${at === 0 ? '' : '_'}${letter.toLowerCase()}`)

export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** Names of the types of requests, and of the objects within them. */
export function requestTypeNames({ endpoints, types }: PackageData): Set<string> {
  const requests = endpoints.flatMap(({ request }) => request ?? [])
  return new Set(types.map(({ name }) => name).filter((name) => requests.some((request) => name.startsWith(request))))
}

/** Names of the fields of requests that are decimals. */
export function decimalFields(data: PackageData): string[] {
  const inputs = requestTypeNames(data)
  const fields = data.types.filter(({ name }) => inputs.has(name)).flatMap((type) => type.fields)
  return [...new Set(fields.filter(({ type }) => type.kind === 'decimal').map(({ name }) => name))]
}
