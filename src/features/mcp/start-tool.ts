/** The tool `start_sandbox` of the command: over HTTP, a sandbox already runs. */
import * as z from 'zod'
import { UnreachableError } from '../../inside/client.js'
import { Failure, resolveSettings, UsageError } from '../../inside/commands.js'
import { platformSettings } from '../../inside/control.js'
import type { RouteSet } from '../../inside/handlers.js'
import { isLoopback, type RunningSandbox } from '../../inside/node.js'
import type { Arguments, Caller, Tool } from './tools/call.js'
import { ToolMistake } from './tools/schemas.js'

/** Settings that an agent chooses; the environment and its defaults give the rest. */
const settingNames = ['clock', 'webhook_url'] as const

/** `url`: the address at which the tools look for their sandbox. `routes`: those of the features. */
export function startTool(url: string, routes: readonly RouteSet[]): { tool: Tool; close: () => Promise<void> } {
  let started: Promise<RunningSandbox> | undefined
  const tool: Tool = {
    description: `Start a sandbox at ${url}, where the other tools call it, unless one runs there. It stops when this server stops.`,
    example: { clock: 'manual' },
    isDefault: true,
    input: () => ({ type: 'object', properties: Object.fromEntries(settingNames.map(describeSetting)), required: [] }),
    annotations: { readOnlyHint: false, destructiveHint: false, idempotentHint: true },
    async call(caller, input) {
      const isRunning = started !== undefined || (await answers(caller))
      started ??= isRunning ? undefined : open(url, input, routes)
      await started?.catch((error: unknown) => {
        started = undefined
        throw error
      })
      const accounts = await caller.control('GET', '/accounts')
      return { started: !isRunning, base_url: url, dashboard_url: `${url}/`, accounts }
    },
  }
  return { tool, close: async () => (await started)?.close() }
}

function describeSetting(name: (typeof settingNames)[number]) {
  const { schema, help } = platformSettings[name]
  return [name, { ...z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }), description: help }] as const
}

async function answers(caller: Caller): Promise<boolean> {
  try {
    await caller.control('GET', '/health')
    return true
  } catch (error) {
    if (error instanceof UnreachableError) return false
    throw error
  }
}

async function open(address: string, input: Arguments, routes: readonly RouteSet[]): Promise<RunningSandbox> {
  const { protocol, hostname, port, pathname } = new URL(address)
  const host = hostname.replace(/^\[|\]$/g, '')
  if (protocol !== 'http:' || !isLoopback(host) || pathname !== '/')
    throw new ToolMistake(
      `nothing answers at ${address}, and start_sandbox starts sandboxes at http addresses of this machine only; start it there, or start this server with another --url`,
    )
  try {
    const given = { ...input, host, port: port || '80', log_level: 'silent' }
    const settings = await resolveSettings(given, process.env, 'option')
    const { openFromSettings } = await import('../../cli/run-sandbox.js')
    return (await openFromSettings(settings, routes)).sandbox
  } catch (error) {
    if (error instanceof UsageError || error instanceof Failure) throw new ToolMistake(error.message)
    throw error
  }
}
