/** Which tools a client sees: few by default, because clients limit their number and models choose worse among many. */
import { didYouMean, nearest } from '../../../inside/values.js'
import { ToolMistake } from './arguments.js'

export interface SelectableTool {
  name: string
  isDefault: boolean
}

/** Words that stand for several tools. */
const groups: Readonly<Record<string, (tool: SelectableTool) => boolean>> = {
  all: () => true,
  default: (tool) => tool.isDefault,
}

/** Returns the tools in `selection`: `all`, `default` or names, separated by commas. Throws `ToolMistake` for an unknown name. */
export function selectTools<Tool extends SelectableTool>(tools: readonly Tool[], selection: string): Tool[] {
  const known = [...Object.keys(groups), ...tools.map(({ name }) => name)]
  const words = selection.split(',').map((word) => word.trim())
  const unknown = words.find((word) => !known.includes(word))
  if (unknown !== undefined)
    throw new ToolMistake(
      `unknown tool ${JSON.stringify(unknown.slice(0, 60))}${didYouMean(nearest(unknown, known))}; use all, or names from this list, separated by commas: ${known.slice(1).join(', ')}`,
    )
  return tools.filter((tool) => words.some((word) => groups[word]?.(tool) ?? word === tool.name))
}
