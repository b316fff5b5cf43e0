/** Text as it is: commands, bodies, keys. JSON is coloured and laid out without being read, so that every digit stays. */
import { useState } from 'hono/jsx/dom'
import { looksLikeJson, tokens } from '../json-text.js'
import { CopyButton } from './copy.js'
import { Button } from './forms/controls.js'
import { Said } from './text.js'

/** Beyond this, colours would cost more than they give. */
const colouredChars = 20_000

export const Code = ({ text, label, what }: { text: string; label: string; what: string }) => {
  const json = looksLikeJson(text) && text.length <= colouredChars
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
          <CopyButton text={text} what={what} />
        </span>
      </figcaption>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reachable by keyboard */}
      <pre tabIndex={0}>{json && !raw ? <Coloured text={text} /> : <Said>{text}</Said>}</pre>
    </figure>
  )
}

const Coloured = ({ text }: { text: string }) => (
  <code>
    {tokens(text).map((token) =>
      token.kind === 'space' ? (
        token.text
      ) : (
        <span class={`json-${token.kind}`}>
          <Said>{token.text}</Said>
        </span>
      ),
    )}
  </code>
)

/** Headers as they went over the wire. */
export const Headers = ({ headers, label }: { headers: Record<string, string>; label: string }) => (
  <Code
    text={Object.entries(headers)
      .map(([name, value]) => `${name}: ${value}`)
      .join('\n')}
    label={label}
    what="the headers"
  />
)
