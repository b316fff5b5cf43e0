/** The command that works, for mistakes that the parser of the command line reports without one. */

import { endpoints } from '../../protocol/platform/endpoints.js'
import { word } from '../../protocol/platform/shell-calls.js'
import { defaultHost } from '../../protocol/settings/process.js'
import { replaceControls } from './style.js'

/** Mistakes by the parser's message; the first match is used. Returns null where the message is about another command. */
const rows: readonly (readonly [RegExp, (argv: readonly string[], found: string) => string | null])[] = [
  [
    /missing required argument 'path'/,
    ([command, path = '', ...rest]) =>
      command === 'request' && path.startsWith('/')
        ? `the method is missing before ${path}; ${tryThis('request', methodOf(path, rest), path, ...rest)}`
        : null,
  ],
  [/unknown option '(-[\d.][^']*)'/, ([command], typed) => (command === 'clock' ? backwards(typed) : null)],
  [
    /unknown option '--port/,
    (argv) => {
      const at = argv.findIndex((one) => one.startsWith('--port'))
      const [, inWord] = argv[at]?.split('=') ?? []
      const port = inWord ?? argv[at + 1] ?? ''
      if (!/^\d{1,5}$/.test(port)) return null
      const rest = argv.slice(at + (inWord === undefined ? 2 : 1))
      const url = `http://${defaultHost}:${port}`
      return `${argv[0]} has no option --port; ${tryThis(...argv.slice(0, at), '--url', url, ...rest)}`
    },
  ],
]

/** Returns the message for an error of the parser, or null if it needs none of its own. */
export function adviceFor(text: string, argv: readonly string[]): string | null {
  for (const [pattern, of] of rows) {
    const found = pattern.exec(text)
    if (found !== null) return of(argv, found[1] ?? '')
  }
  return null
}

export const tryThis = (...words: string[]): string =>
  `try: payments-sandbox ${words.map((one) => replaceControls(word(one))).join(' ')}`

export const backwards = (typed: string): string =>
  `${replaceControls(typed)} is not possible: time cannot go back; save a snapshot first (payments-sandbox snapshot save NAME), and restore it later`

function methodOf(path: string, flags: readonly string[]): string {
  const [plain] = path.split('?', 1)
  const found = Object.values<{ method: string; path: string }>(endpoints).find((row) => row.path === plain)
  return found?.method ?? (flags.some((flag) => flag.startsWith('--data')) ? 'POST' : 'GET')
}
