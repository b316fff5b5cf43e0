/** All commands and subcommands of `payments-sandbox`, with their output and examples. */
import type { CommandUsages } from '../../src/cli/command.js'
import { commands } from './all-commands.js'

const files = await Promise.all(Object.values(commands).map(({ load }) => load()))

export const everyWord: CommandUsages = Object.assign({}, ...files.map(({ usages }) => usages))
