/** Copying: a button for it, an id with one, a secret that stays hidden until asked for. */
import { useState } from 'hono/jsx/dom'
import { tell } from '../store/toasts.js'
import { IconButton } from './forms/controls.js'
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

export const CopyButton = ({ text, what }: { text: string; what: string }) => {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await toClipboard(text)
    tell(`Copied ${what}`)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return <IconButton icon={copied ? 'check' : 'copy'} name={`Copy ${what}`} onClick={copy} />
}

export const Id = ({ id, what }: { id: string; what: string }) => (
  <span class="id">
    <code>
      <Said>{id}</Said>
    </code>
    <CopyButton text={id} what={what} />
  </span>
)

export const Secret = ({ secret, what }: { secret: string; what: string }) => {
  const [shown, setShown] = useState(false)
  return (
    <span class="id">
      <code class={shown ? '' : 'faint'}>{shown ? <Said>{secret}</Said> : '••••••••••••••••'}</code>
      <IconButton
        icon={shown ? 'hide' : 'show'}
        name={`${shown ? 'Hide' : 'Show'} ${what}`}
        pressed={shown}
        onClick={() => setShown(!shown)}
      />
      <CopyButton text={secret} what={what} />
    </span>
  )
}
