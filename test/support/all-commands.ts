/** All commands, with those of the features. */
import { commandsWith } from '../../src/cli/compose.js'
import { features } from '../../src/features/node.js'

export const commands = commandsWith(features)
