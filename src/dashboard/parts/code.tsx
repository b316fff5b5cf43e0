/** Shows code: commands, bodies, keys. JSON is colored and indented without being parsed, so that every digit stays. */
import { useState } from 'hono/jsx/dom'
import type { LoggedCallDetails } from '../../client/types/control.js'
import { faultText, isDropped } from '../format.js'
import { looksLikeJson, tokens } from '../json-text.js'
import { CopyButton } from './copy.js'
import { Button } from './forms/controls.js'
import { WrappedText } from './text.js'

/** Longer texts are not colored, because that would be slow. */
const maxColoredChars = 20_000

interface CodeProps {
  text: string
  label: string
  noun: string
}

export const Code = ({ text, label, noun }: CodeProps) => {
  const json = looksLikeJson(text) && text.length <= maxColoredChars
  const [raw, setRaw] = useState(false)
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
      <pre tabIndex={0}>{json && !raw ? <Colored text={text} /> : <WrappedText>{text}</WrappedText>}</pre>
    </figure>
  )
}

const Colored = ({ text }: { text: string }) => (
  <code>
    {tokens(text).map((token) =>
      token.kind === 'space' ? (
        token.text
      ) : (
        <span class={`json-${token.kind}`}>
          <WrappedText>{token.text}</WrappedText>
        </span>
      ),
    )}
  </code>
)

/** The body of a call's request or response; without one, the reason. */
export const CallBody = ({ row, side }: { row: LoggedCallDetails; side: 'request' | 'response' }) => {
  const text = row[`${side}_body`] ?? ''
  const isLost = side === 'response' && isDropped(row)
  return (
    <>
      {isLost ? (
        <p class="bad-text">Your app got no response: {faultText(row)}.</p>
      ) : text === '' ? (
        <p class="faint">
          {side === 'response'
            ? 'The response has no body.'
            : row.method === 'GET'
              ? 'A GET request has no body.'
              : 'The request has no body.'}
        </p>
      ) : null}
      {text === '' ? null : (
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
