/**
 * Shows code: commands, bodies, keys, and QR codes. JSON is colored and indented without being parsed, so that strings and
 * numbers stay exactly as received.
 */
import { useRef } from 'hono/jsx/dom'
import { parseUntrustedJson } from '../../base/json.js'
import type { LoggedCallDetails } from '../../client/types/control.js'
import { isDropped } from '../../protocol/platform/payments.js'
import { useEffect, useLayoutEffect, useState } from '../store/hooks.js'
import { Button } from './forms/controls.js'
import { CopyButton, WrappedText } from './text.js'

export interface Token {
  kind: 'key' | 'string' | 'number' | 'literal' | 'punctuation' | 'space'
  text: string
}

function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && parseUntrustedJson(text) !== undefined
}

const tokenPattern = /"(?:[^"\\]|\\.)*"|-?\d[\d.eE+-]*|true|false|null|[{}[\],:]/g

/** Splits JSON text into tokens and adds whitespace tokens that indent it. */
export function tokens(text: string): Token[] {
  const words = text.match(tokenPattern) ?? []
  const found: Token[] = []
  let depth = 0
  const space = (value: string) => found.push({ kind: 'space', text: value })
  const line = () => space(`\n${'  '.repeat(depth)}`)
  words.forEach((word, index) => {
    const next = words[index + 1]
    const closes = word === '}' || word === ']'
    const previous = words[index - 1]
    if (closes) {
      depth--
      if (previous !== '{' && previous !== '[') line()
    }
    found.push({ kind: kindOf(word, next), text: word })
    if (word === '{' || word === '[') {
      depth++
      if (next !== '}' && next !== ']') line()
    }
    if (word === ',') line()
    if (word === ':') space(' ')
  })
  return found
}

function kindOf(word: string, next: string | undefined): Token['kind'] {
  if (word.startsWith('"')) return next === ':' ? 'key' : 'string'
  if (/^[\d-]/.test(word)) return 'number'
  return /^[a-z]/.test(word) ? 'literal' : 'punctuation'
}

/** Longer texts are not colored, because that would be slow. */
const maxColoredChars = 20_000

interface CodeProps {
  text: string
  label: string
  noun: string
  /** The text before something was inserted, which is marked. */
  original?: string | undefined
}

export const Code = ({ text, label, noun, original }: CodeProps) => {
  const json = looksLikeJson(text) && text.length <= maxColoredChars
  const [raw, setRaw] = useState(false)
  const box = useRef<HTMLPreElement>(null)
  useLayoutEffect(() => {
    const [pre, mark] = [box.current, box.current?.querySelector('mark')]
    if (pre && mark) pre.scrollTop = mark.offsetTop - pre.offsetTop - pre.clientHeight / 2
  }, [text, raw])
  return (
    <figure class="code">
      <figcaption>
        <span>{label}</span>
        <span class="row">
          {json ? (
            <Button tone="quiet" pressed={raw} onClick={() => setRaw(!raw)}>
              {raw ? 'Formatted' : 'Raw'}
            </Button>
          ) : null}
          <CopyButton text={text} noun={noun} />
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling area must be reachable by keyboard */}
      <pre ref={box} tabIndex={0}>
        {json && !raw ? <Colored text={text} original={original} /> : <WrappedText>{text}</WrappedText>}
      </pre>
    </figure>
  )
}

const Colored = ({ text, original }: Pick<CodeProps, 'text' | 'original'>) => {
  const shown = tokens(text)
  const [start, end] = original === undefined ? [0, 0] : insertedIn(shown, tokens(original))
  return (
    <code>{shown.map((token, at) => (at < start || at >= end ? colored(token) : <mark>{colored(token)}</mark>))}</code>
  )
}

function insertedIn(shown: readonly Token[], before: readonly Token[]): [start: number, end: number] {
  const start = shown.findIndex((token, at) => token.text !== before[at]?.text)
  return [start, start + shown.length - before.length]
}

const colored = ({ kind, text }: Token) =>
  kind === 'space' ? (
    text
  ) : (
    <span class={`json-${kind}`}>
      <WrappedText>{text}</WrappedText>
    </span>
  )

/** The body of a call's request or response; without one, the reason. */
export const CallBody = ({ row, side }: { row: LoggedCallDetails; side: 'request' | 'response' }) => {
  const text = row[`${side}_body`] ?? ''
  const isLost = side === 'response' && isDropped(row)
  return (
    <>
      {text === '' ? (
        <p class="faint">
          {side === 'response'
            ? 'The response has no body.'
            : row.method === 'GET'
              ? 'A GET request has no body.'
              : 'The request has no body.'}
        </p>
      ) : (
        <Code
          text={text}
          label={isLost ? 'Dropped body' : 'Body'}
          noun={side === 'request' ? 'the request body' : 'the response body'}
        />
      )}
    </>
  )
}

/** Headers as sent or received. */
export const Headers = ({ headers, label }: { headers: Record<string, string>; label: string }) => (
  <Code
    text={Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')}
    label={label}
    noun="the headers"
  />
)

/** Modules of light space around the code, which scanners need. */
const quietZone = 4

interface QrCode {
  /** Modules on each side. */
  size: number
  /** The dark modules, as an SVG path. */
  path: string
}

/** The encoder is a script of its own, because only the page of an unpaid charge needs it. */
async function qrCodeOf(text: string): Promise<QrCode> {
  const { encode } = await import('uqr')
  const { data, size } = encode(text, { ecc: 'M', border: quietZone })
  const path = data.flatMap((row, y) => row.map((dark, x) => (dark ? `M${x} ${y}h1v1h-1z` : ''))).join('')
  return { size, path }
}

export const Qr = ({ text, label }: { text: string; label: string }) => {
  const [code, setCode] = useState<QrCode | null>(null)
  useEffect(() => {
    void qrCodeOf(text).then(setCode)
  }, [text])
  if (code === null) return <div class="qr" />
  const { size, path } = code
  return (
    <svg class="qr" role="img" aria-label={label} viewBox={`0 0 ${size} ${size}`} shape-rendering="crispEdges">
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  )
}
