/** Connects a command to a running sandbox, and prints results: tables for people, one line of JSON for programs. */
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

/** Adds the flags for the connection, which all commands share. */
export function addConnectionFlags(command: Command): Command {
  for (const [flag, help] of connectionFlags) command.addOption(new Option(flag, help).helpGroup('Connection:'))
  return addJsonFlag(command)
}

export const addJsonFlag = (command: Command): Command => command.option('--json', 'print JSON')

const connectionFlags = [
  ['--url <address>', `base URL of the sandbox (PAYMENTS_SANDBOX_URL; default: ${defaultUrl})`],
  ['--admin-token <text>', 'admin token, if the sandbox requires one (PAYMENTS_SANDBOX_ADMIN_TOKEN)'],
  ['--workspace <name>', 'workspace to use (PAYMENTS_SANDBOX_WORKSPACE; default: default)'],
] as const

/** Creates a flag that can be repeated. */
export const repeatableFlag = (flags: string, help: string): Option =>
  new Option(flags, `${help}; repeatable`).default([]).argParser((text: string, before: string[]) => [...before, text])

const fromEnvironment = (name: string): string | undefined => process.env[name] || undefined

export type Sandbox = ControlClient

/** Returns a connection; sends nothing yet. Throws `UsageError` for an invalid URL. */
export function connect(flags: Connection): Sandbox {
  const address = flags.url ?? fromEnvironment('PAYMENTS_SANDBOX_URL') ?? defaultUrl
  const url = /^[a-z]+:\/\//i.test(address) ? address : `http://${address}`
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol))
    throw new UsageError(`${address} is not the URL of a sandbox; use a form such as ${defaultUrl}`)
  const workspace = flags.workspace ?? fromEnvironment('PAYMENTS_SANDBOX_WORKSPACE')
  return connectControl(url, { adminToken: adminTokenOf(flags), workspace, send: httpSend, sendStream: httpSend })
}

export const adminTokenOf = (flags: Connection): string | undefined =>
  flags.adminToken ?? fromEnvironment('PAYMENTS_SANDBOX_ADMIN_TOKEN')

/** Prints a value: one line of JSON with `--json`, otherwise the result of `text`. */
export function print<T>(flags: Connection, value: T, text: (value: T) => string): void {
  process.stdout.write(flags.json === true ? `${JSON.stringify(value)}\n` : text(value))
}

/** Returns the given flags as query parameters with the same names in snake_case. */
export function queryOf(flags: Record<string, unknown>, names: readonly string[]): Record<string, string> {
  const values = names.flatMap((name): [string, string][] => {
    const value = flags[name.replace(/_(.)/g, (_all, letter: string) => letter.toUpperCase())]
    return value === undefined ? [] : [[name, String(value)]]
  })
  return Object.fromEntries(values)
}
