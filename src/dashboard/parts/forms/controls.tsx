/** What is clicked and chosen: buttons, selects, and details that are rendered once they are open. */
import { type Child, useState } from 'hono/jsx/dom'
import { typedIn } from '../../store/form.js'
import { Icon, type IconName } from '../icon.js'

interface ButtonProps {
  onClick: () => unknown
  children?: Child
  /** Accessible name, for a button whose text does not say what it acts on. */
  accessibleName?: string | undefined
  tone?: 'primary' | 'danger' | 'plain' | 'quiet' | undefined
  title?: string
  /** Set for a button that switches something on and off. */
  pressed?: boolean
  disabled?: boolean
}

export const Button = ({
  onClick,
  children,
  accessibleName,
  tone = 'plain',
  title,
  pressed,
  disabled,
}: ButtonProps) => (
  <button
    type="button"
    class={tone === 'quiet' ? 'quiet' : `button ${tone}`}
    aria-label={accessibleName}
    title={title}
    aria-pressed={pressed === undefined ? undefined : String(pressed)}
    disabled={disabled === true}
    onClick={onClick}
  >
    {children}
  </button>
)

interface IconButtonProps extends Pick<ButtonProps, 'onClick' | 'pressed'> {
  icon: IconName
  /** Accessible name and tooltip. */
  accessibleName: string
}

export const IconButton = ({ icon, accessibleName, onClick, pressed }: IconButtonProps) => (
  <button
    type="button"
    class="icon-button"
    aria-label={accessibleName}
    title={accessibleName}
    aria-pressed={pressed === undefined ? undefined : String(pressed)}
    onClick={onClick}
  >
    <Icon name={icon} />
  </button>
)

interface SelectProps {
  /** Accessible name; omit it inside a label. */
  accessibleName?: string
  id?: string
  value: string
  choices: readonly (string | readonly [value: string, text: string])[]
  choose: (value: string) => void
  disabled?: boolean
}

export const Select = ({ accessibleName, id, value, choices, choose, disabled }: SelectProps) => (
  <select
    aria-label={accessibleName}
    id={id}
    value={value}
    disabled={disabled === true}
    onChange={(event: Event) => choose(typedIn(event))}
  >
    {choices.map((choice) => {
      // A choice without a text is a name, which is the same in all languages.
      const isName = typeof choice === 'string'
      const [own, text] = isName ? [choice, choice] : choice
      return (
        <option key={text} value={own} selected={own === value} translate={isName ? 'no' : undefined}>
          {text}
        </option>
      )
    })}
  </select>
)

/** Renders its content only while it is open. */
export const Details = ({ summary, children, opened }: { summary: Child; children: () => Child; opened?: boolean }) => {
  const [open, setOpen] = useState(opened === true)
  const toggle = ({ target }: Event) => setOpen(target instanceof HTMLDetailsElement && target.open)
  return (
    <details open={open} onToggle={toggle}>
      <summary>{summary}</summary>
      {open ? children() : null}
    </details>
  )
}
