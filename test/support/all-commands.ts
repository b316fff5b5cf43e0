/** All commands, with those of the features. */
import { commandsWith } from '../../src/cli/commands/index.js'
import { features } from '../../src/features/node.js'

export const commands = commandsWith(features)
