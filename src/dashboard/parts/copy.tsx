/** Copy buttons: for texts, for ids, and for secrets that stay hidden until shown. */
import { useState } from 'hono/jsx/dom'
import { t } from '../language.js'
import { showMessage } from '../store/commands.js'
import { IconButton } from './forms/controls.js'
import { WrappedText } from './text.js'

/** Browsers offer no clipboard at a plain http address of another machine, so an older method is the fallback. */
export async function copyToClipboard(text: string, noun: string): Promise<void> {
  if (navigator.clipboard === undefined) copyBySelection(text)
  else await navigator.clipboard.writeText(text)
  showMessage(t`Copied ${t(noun)}`)
}

function copyBySelection(text: string): void {
  const area = document.createElement('textarea')
  area.value = text
  document.body.append(area)
  area.select()
  document.execCommand('copy')
  area.remove()
}

export const CopyButton = ({ text, noun }: { text: string; noun: string }) => {
  const [copied, setCopied] = useState(false)
  const copy = async () => {
    await copyToClipboard(text, noun)
    setCopied(true)
    setTimeout(() => setCopied(false), 1500)
  }
  return <IconButton icon={copied ? 'check' : 'copy'} accessibleName={t`Copy ${t(noun)}`} onClick={copy} />
}

export const Id = ({ id, noun }: { id: string; noun: string }) => (
  <span class="id">
    <code>
      <WrappedText>{id}</WrappedText>
    </code>
    <CopyButton text={id} noun={noun} />
  </span>
)

export const Secret = ({ secret, noun }: { secret: string; noun: string }) => {
  const [shown, setShown] = useState(false)
  return (
    <span class="id">
      <code class={shown ? '' : 'faint'}>{shown ? <WrappedText>{secret}</WrappedText> : '••••••••••••••••'}</code>
      <IconButton
        icon={shown ? 'hide' : 'show'}
        accessibleName={shown ? t`Hide ${t(noun)}` : t`Show ${t(noun)}`}
        pressed={shown}
        onClick={() => setShown(!shown)}
      />
      <CopyButton text={secret} noun={noun} />
    </span>
  )
}
