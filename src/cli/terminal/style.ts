/** Colors, only at a terminal, and protection from control characters in foreign text. */
import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]
type Stream = NodeJS.WriteStream

export const isTerminal = (stream: Stream): boolean => stream.isTTY === true

/** https://no-color.org: any value of NO_COLOR switches colors off; FORCE_COLOR switches them on in a pipe. */
function isColored(stream: Stream): boolean {
  const { NO_COLOR, FORCE_COLOR, TERM } = process.env
  if (NO_COLOR !== undefined && NO_COLOR !== '') return false
  if (FORCE_COLOR !== undefined && FORCE_COLOR !== '') return FORCE_COLOR !== '0'
  return isTerminal(stream) && TERM !== 'dumb'
}

export function paint(format: Format, text: string, stream: Stream = process.stdout): string {
  return isColored(stream) ? styleText(format, text, { validateStream: false }) : text
}

export const bold = (text: string) => paint('bold', text)
export const dim = (text: string) => paint('dim', text)

const greenStates = new Set([
  'confirmed',
  'completed',
  'delivered',
  'ok',
  'passed',
  'won',
  'active',
  'yes',
  'valid',
  'created',
])
const redStates = new Set([
  'failed',
  'refused',
  'lost',
  'no',
  'invalid',
  'canceled',
  'cancelled',
  'http_error',
  'timeout',
])
const yellowStates = new Set(['pending', 'queued', 'open', 'responded', 'running', 'expired', 'refunded'])

/** Paints a state: green for good, red for bad, yellow for unfinished. */
export function paintState(state: string, text = state): string {
  if (greenStates.has(state)) return paint('green', text)
  if (redStates.has(state)) return paint('red', text)
  return yellowStates.has(state) ? paint('yellow', text) : text
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the characters that must not reach a terminal
const control = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g

/** Foreign text (payer names, bodies) cannot move the cursor or change colors. */
export const replaceControls = (text: string): string => text.replace(control, '\ufffd')
