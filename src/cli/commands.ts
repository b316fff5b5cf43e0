/** Every command: what it is for, and where its definition is loaded from. */
import type { Command } from 'commander'

interface CommandRow {
  group: 'Sandbox' | 'What happens' | 'What happened' | 'State'
  summary: string
  load: () => Promise<(command: Command) => void>
}

export const commands = {
  start: { group: 'Sandbox', summary: 'start a sandbox', load: async () => (await import('./start.js')).defineStart },
} as const satisfies Record<string, CommandRow>

export type CommandName = keyof typeof commands
export const isCommand = (name: string): name is CommandName => Object.hasOwn(commands, name)
