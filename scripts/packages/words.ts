/** Names and sentences that several languages render from the tables. */
import { keysOf } from '../../src/base/keys.js'
import type { ObjectType, PackageData } from './data.js'

/** Whether a name is written in capitals, as `BRL` is. */
export const isConstant = (name: string): boolean => name === name.toUpperCase()

/** `infractionReply` and `InfractionReply` become `infraction_reply`. */
export const snake = (name: string): string =>
  isConstant(name)
    ? name
    : name.replace(/[A-Z]/g, (letter, at: number) => `${at === 0 ? '' : '_'}${letter.toLowerCase()}`)

export const sentence = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`)

/** Names of the types of requests, and of the objects within them. */
export function requestTypeNames({ endpoints, types }: PackageData): Set<string> {
  const requests = endpoints.flatMap(({ request }) => request ?? [])
  return new Set(types.map(({ name }) => name).filter((name) => requests.some((request) => name.startsWith(request))))
}

/** Names of the fields of requests that are decimals, in both APIs. */
export function decimalFields(data: PackageData): string[] {
  const inputs = requestTypeNames(data)
  const types = [...data.types.filter(({ name }) => inputs.has(name)), ...data.inputTypes]
  const fields = types.flatMap((type) => type.fields)
  return [...new Set(fields.filter(({ type }) => type.kind === 'decimal').map(({ name }) => name))]
}

/** The objects with calls of the control API, by group: the name of the type with its methods, and what they are about. */
export const callTypes = {
  workspace: { type: 'WorkspaceCalls', about: 'Accounts, ledger and snapshots of a workspace.' },
  requests: { type: 'RequestCalls', about: 'The request log: the calls of your code.' },
  chaos: { type: 'ChaosCalls', about: 'Random faults of calls and webhooks, the same for the same seed.' },
} as const
export const callGroups = keysOf(callTypes)

/** The name of the field of a request that has only one, which is a plain argument. */
export function onlyFieldOf(request: string | null, types: readonly ObjectType[]): string | undefined {
  const fields = types.find(({ name }) => name === request)?.fields ?? []
  return fields.length === 1 ? fields[0]?.name : undefined
}
