/** All that can be typed behind `payments-sandbox`, with what it prints and its examples. */
import type { CommandUsages } from '../../src/cli/command.js'
import { commands } from '../../src/cli/commands.js'

const files = await Promise.all(Object.values(commands).map(({ load }) => load()))

export const everyWord: CommandUsages = Object.assign({}, ...files.map(({ usages }) => usages))
