/** The help overlay: every keyboard shortcut, from the table that runs them. */
import { useRef } from 'hono/jsx/dom'
import { useEffect } from '../../store/effect.js'
import { isHelpOpen, type Shortcut } from '../../store/shortcuts.js'
import { useValue } from '../../store/value.js'
import { IconButton } from '../forms/controls.js'

const close = () => isHelpOpen.set(false)

export const Help = ({ shortcuts }: { shortcuts: readonly Shortcut[] }) =>
  useValue(isHelpOpen) ? <HelpDialog shortcuts={shortcuts} /> : null

const HelpDialog = ({ shortcuts }: { shortcuts: readonly Shortcut[] }) => {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.showModal()
  }, [])
  return (
    <dialog ref={element} class="help" aria-labelledby="help-title" onClose={close}>
      <div class="dialog-head">
        <h2 id="help-title">Keyboard shortcuts</h2>
        <IconButton icon="close" accessibleName="Close" onClick={close} />
      </div>
      <div class="help-groups">
        {(['Everywhere', 'In a list', 'Go to'] as const).map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {shortcuts
                .filter((one) => one.group === group)
                .map(({ keys, also, title }) => (
                  <div key={keys}>
                    <dt>{title}</dt>
                    <dd>
                      <Keys keys={keys} />{' '}
                      {also === undefined ? null : (
                        <>
                          <span class="faint small">or</span> <Keys keys={also} />
                        </>
                      )}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
    </dialog>
  )
}

/** `g t` are two keys, and `Control+k` is one chord. */
export const Keys = ({ keys }: { keys: string }) => (
  <span class="keys">
    {keys.split(' ').map((key) => (
      <kbd key={key}>{key.replace(/^Control\+(.)/, (_, letter: string) => `Ctrl+${letter.toUpperCase()}`)}</kbd>
    ))}
  </span>
)
