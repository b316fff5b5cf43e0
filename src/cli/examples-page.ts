/** The examples of all help texts as a part of docs/command-line.md. */
import { commands } from './commands.js'
import { examples } from './examples.js'

/** Grouped as in the help of the program. */
export function examplesPart(): string {
  const groups = [...new Set(Object.values(commands).map(({ group }) => group))]
  return groups.map((group) => `### ${group}\n\n\`\`\`sh\n${linesOf(group)}\n\`\`\``).join('\n\n')
}

const linesOf = (wanted: string): string =>
  Object.entries(commands)
    .filter(([, { group }]) => group === wanted)
    .flatMap(([name]) => Object.entries(examples).filter(([path]) => path.split(' ')[0] === name))
    .flatMap(([, all]) => all)
    .map(({ run, says }) => `# ${says}\n${run}`)
    .join('\n')
