/** The help of the program: every command by group, on one screen of 24 lines and 80 columns. */
import type { CommandRow, CommandTable } from './command.js'

type Group = CommandRow['group']

/** Arranges the groups in two columns of about equal length. */
const columns: readonly (readonly Group[])[] = [
  ['Start and stop a sandbox', 'Simulate activity', 'Manage state'],
  ['Inspect what happened', 'Test and integrate'],
]
const columnWidth = 41
const groupLines = (commands: CommandTable, groupName: Group, nameWidth: number): string[] => [
  groupName,
  ...Object.entries(commands)
    .filter(([, { group }]) => group === groupName)
    .map(([name, { short }]) => `  ${name.padEnd(nameWidth)}  ${short}`),
]

export function overview(commands: CommandTable): string {
  const nameWidth = Math.max(...Object.keys(commands).map((name) => name.length))
  const [left = [], right = []] = columns.map((groups) =>
    groups.flatMap((group, at) => [...(at === 0 ? [] : ['']), ...groupLines(commands, group, nameWidth)]),
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
    'payments-sandbox COMMAND --help shows arguments, flags and examples.',
    '',
  ].join('\n')
}
