/** What `--help` of the program shows: every command, grouped by what people want to do, on one screen of 24 lines and 80 columns. */
import { commands } from './commands.js'

type Group = (typeof commands)[keyof typeof commands]['group']

/** Side by side, about equally long. */
const columns: readonly (readonly Group[])[] = [
  ['Start and end a sandbox', 'See what happened'],
  ['Make something happen', 'Prepare and keep state', 'Check your side, and feel at home'],
]
const columnWidth = 41
const nameWidth = Math.max(...Object.keys(commands).map((name) => name.length))

const groupLines = (wanted: Group): string[] => [
  wanted,
  ...Object.entries(commands)
    .filter(([, { group }]) => group === wanted)
    .map(([name, { short }]) => `  ${name.padEnd(nameWidth)}  ${short}`),
]

export function overview(): string {
  const [left = [], right = []] = columns.map((groups) =>
    groups.flatMap((group, at) => [...(at === 0 ? [] : ['']), ...groupLines(group)]),
  )
  const height = Math.max(left.length, right.length)
  const both = Array.from({ length: height }, (_, at) =>
    `${(left[at] ?? '').padEnd(columnWidth)}${right[at] ?? ''}`.trimEnd(),
  )
  return [
    'Usage: payments-sandbox COMMAND [options]',
    '',
    ...both,
    '',
    'payments-sandbox COMMAND --help tells what a command takes, with examples.',
    '',
  ].join('\n')
}
