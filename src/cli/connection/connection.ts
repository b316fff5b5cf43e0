/** How every command but `start` reaches a running sandbox, and how it answers: tables for people, one line of JSON for programs. */

import { type Command, Option } from 'commander'
import { type ControlClient, connectControl } from '../../client/control.js'
import { defaultUrl } from '../../protocol/settings/address.js'
import { UsageError } from '../errors.js'
import { httpSend } from './http-send.js'

export interface Connection {
  url?: string
  adminToken?: string
  workspace?: string
  json?: boolean
}

/** Adds the flags that all commands share. */
export function talks(command: Command): Command {
  for (const [flag, help] of shared) command.addOption(new Option(flag, help).helpGroup('Which sandbox:'))
  return alsoJson(command)
}

export const alsoJson = (command: Command): Command => command.option('--json', 'print JSON for programs')

const shared = [
  ['--url <address>', `where it is (PAYMENTS_SANDBOX_URL; default: ${defaultUrl})`],
  ['--admin-token <text>', 'where it asks for one (PAYMENTS_SANDBOX_ADMIN_TOKEN)'],
  ['--workspace <name>', 'another than default (PAYMENTS_SANDBOX_WORKSPACE)'],
] as const

/** A flag that may be given again and again. */
export const repeatable = (flags: string, help: string): Option =>
  new Option(flags, `${help}; repeatable`).default([]).argParser((text: string, before: string[]) => [...before, text])

const fromEnvironment = (name: string): string | undefined => process.env[name] || undefined

export type Sandbox = ControlClient

/** Throws `UsageError` for what is no address. Nothing is sent yet. */
export function connect(flags: Connection): Sandbox {
  const typed = flags.url ?? fromEnvironment('PAYMENTS_SANDBOX_URL') ?? defaultUrl
  const url = /^[a-z]+:\/\//i.test(typed) ? typed : `http://${typed}`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`${typed} is no address of a sandbox: it looks like ${defaultUrl}`)
  const workspace = flags.workspace ?? fromEnvironment('PAYMENTS_SANDBOX_WORKSPACE')
  return connectControl(url, { adminToken: adminTokenOf(flags), workspace, send: httpSend })
}

export const adminTokenOf = (flags: Connection): string | undefined =>
  flags.adminToken ?? fromEnvironment('PAYMENTS_SANDBOX_ADMIN_TOKEN')

/** One answer: JSON on one line, or what `text` makes of it. */
export function print<T>(flags: Connection, value: T, text: (value: T) => string): void {
  process.stdout.write(flags.json === true ? `${JSON.stringify(value)}\n` : text(value))
}

/** Flags that were given, as query parameters of the same names in snake_case. */
export function queryOf(flags: Record<string, unknown>, names: readonly string[]): Record<string, string> {
  const given = names.flatMap((name): [string, string][] => {
    const value = flags[name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase())]
    return value === undefined ? [] : [[name, String(value)]]
  })
  return Object.fromEntries(given)
}
