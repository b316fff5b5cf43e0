/** Copying: a button for it, an id with one, a secret that stays hidden until asked for. */
import { useState } from 'hono/jsx/dom'
import { tell } from '../store/toasts.js'
import { Icon } from './icon.js'
import { Said } from './text.js'

/** Where the browser offers no clipboard (a plain http address that is not this machine), an old way is left. */
async function toClipboard(text: string): Promise<void> {
  if (navigator.clipboard !== undefined) return navigator.clipboard.writeText(text)
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

export const CopyButton = ({ text, what, label }: { text: string; what: string; label?: string }) => {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await toClipboard(text)
    tell(`Copied ${what}`)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return (
    <button
      type="button"
      class={label === undefined ? 'icon-button' : 'button'}
      aria-label={`Copy ${what}`}
      title={`Copy ${what}`}
      onClick={copy}
    >
      <Icon name={copied ? 'check' : 'copy'} />
      {label}
    </button>
  )
}

export const Id = ({ id, what = 'the id', href }: { id: string; what?: string; href?: string }) => (
  <span class="id">
    {href === undefined ? (
      <code>
        <Said>{id}</Said>
      </code>
    ) : (
      <a href={href}>
        <code>
          <Said>{id}</Said>
        </code>
      </a>
    )}
    <CopyButton text={id} what={what} />
  </span>
)

export const Secret = ({ secret, what }: { secret: string; what: string }) => {
  const [shown, setShown] = useState(false)
  return (
    <span class="id">
      <code class={shown ? '' : 'faint'}>{shown ? <Said>{secret}</Said> : '••••••••••••••••'}</code>
      <button
        type="button"
        class="icon-button"
        aria-label={`${shown ? 'Hide' : 'Show'} ${what}`}
        title={`${shown ? 'Hide' : 'Show'} ${what}`}
        aria-pressed={shown ? 'true' : 'false'}
        onClick={() => setShown(!shown)}
      >
        <Icon name={shown ? 'hide' : 'show'} />
      </button>
      <CopyButton text={secret} what={what} />
    </span>
  )
}
