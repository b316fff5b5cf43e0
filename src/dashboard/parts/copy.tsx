/** Copy buttons: for texts, for ids, and for secrets that stay hidden until shown. */
import { useState } from 'hono/jsx/dom'
import { showMessage } from '../store/toasts.js'
import { IconButton } from './forms/controls.js'
import { WrappedText } from './text.js'

/** Browsers offer no clipboard at a plain http address of another machine, so an older method is the fallback. */
async function copyToClipboard(text: string): Promise<void> {
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
    await copyToClipboard(text)
    showMessage(`Copied ${what}`)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return <IconButton icon={copied ? 'check' : 'copy'} name={`Copy ${what}`} onClick={copy} />
}

export const Id = ({ id, what }: { id: string; what: string }) => (
  <span class="id">
    <code>
      <WrappedText>{id}</WrappedText>
    </code>
    <CopyButton text={id} what={what} />
  </span>
)

export const Secret = ({ secret, what }: { secret: string; what: string }) => {
  const [shown, setShown] = useState(false)
  return (
    <span class="id">
      <code class={shown ? '' : 'faint'}>{shown ? <WrappedText>{secret}</WrappedText> : '••••••••••••••••'}</code>
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
