/** All commands, and what they are composed of. */
import type { Feature } from '../feature.js'
import type { CommandTable, Composition } from './command.js'
import { commands } from './commands.js'

/** The commands of the features come first in their group. */
export const commandsWith = (features: readonly Feature[]): CommandTable =>
  Object.assign({}, ...features.map((one) => one.commands), commands)

export const compositionOf = (features: readonly Feature[]): Composition => ({
  routes: features.flatMap((one) => one.routes ?? []),
})
