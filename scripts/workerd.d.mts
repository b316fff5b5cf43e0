/** Types of workerd.mjs for the tests. */
import type { ChildProcess } from 'node:child_process'

export interface Workerd {
  url: string
  child: ChildProcess
  stop(signal?: NodeJS.Signals): Promise<unknown>
  said(): string
}

export function startWorkerd(options: {
  storage: string
  variables?: Record<string, unknown>
  port?: number
  host?: string
  trusted?: readonly string[]
  worker?: string
  onLine?: (line: string) => void
}): Promise<Workerd>

export function wakeWorkspaces(url: string, headers?: Record<string, string>): Promise<number>
