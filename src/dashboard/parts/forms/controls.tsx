/** What is clicked and chosen: buttons with icons, selects, and details that are rendered once they are open. */
import type { JSX } from 'hono/jsx'
import { type Child, useRef } from 'hono/jsx/dom'
import { typedIn, useLayoutEffect, useState } from '../../store/hooks.js'

// biome-ignore format: a table, a row a line
const paths = {
  overview: 'M4 13h6V4H4zM14 20h6v-9h-6zM4 20h6v-3H4zM14 7h6V4h-6z',
  transactions: 'M7 4v16m0 0-3-3m3 3 3-3M17 20V4m0 0-3 3m3-3 3 3',
  wallets: 'M4 7.5A1.5 1.5 0 015.5 6H18v3m0 0H5.5M18 9h2v10H5.5A1.5 1.5 0 014 17.5v-10M16 14h.01',
  disputes: 'M12 4v16m-5 0h10M5 7h14M5 7l-2.5 6a2.7 2.7 0 005 0zm14 0-2.5 6a2.7 2.7 0 005 0z',
  webhooks: 'M9.5 9.5 7 15M9.5 9.5a3 3 0 114.6-.6M13.5 9l3 5.5M7 15a3 3 0 102.9 3.5H16m.5-4a3 3 0 11-1.7 5',
  inbox: 'M4 13.5 6.5 5h11L20 13.5V19H4zm0 0h4.5a3.5 3.5 0 007 0H20',
  scenarios: 'M8 5.5v13l10.5-6.5z',
  chaos: 'M13 3 5 14h6l-1 7 8-11h-6z',
  accounts: 'M12 11.5a3.5 3.5 0 100-7 3.5 3.5 0 0 0 0 7M5 20a7 7 0 0114 0',
  log: 'M6 4h12v16H6zM9.5 8.5h5M9.5 12h5M9.5 15.5h3',
  snapshots: 'M12 8c4 0 7-1 7-2.2S16 3.5 12 3.5 5 4.6 5 5.8 8 8 12 8m7-2v6c0 1.2-3 2.2-7 2.2S5 13.2 5 12V6m14 6v6c0 1.2-3 2.3-7 2.3S5 19.2 5 18v-6',
  clock: 'M12 20.5a8.5 8.5 0 100-17 8.5 8.5 0 0 0 0 17M12 7v5.2l3.2 2',
  down: 'm7 10 5 5 5-5',
  settings: 'M4 7h9m6 0h1M4 17h1m6 0h9M13 7a3 3 0 106 0 3 3 0 0 0-6 0M5 17a3 3 0 106 0 3 3 0 0 0-6 0',
  search: 'M11 17.5a6.5 6.5 0 100-13 6.5 6.5 0 0 0 0 13m4.7-1.8L20 20',
  copy: 'M9 9h10v11H9zM15 9V4H5v11h4',
  check: 'm5 12.5 4.5 4.5L19 7.5',
  show: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12m9.5 2.5a2.5 2.5 0 100-5 2.5 2.5 0 0 0 0 5',
  hide: 'm4 4 16 16M9.5 5.9A9 9 0 0112 5.5c6 0 9.5 6.5 9.5 6.5a17 17 0 01-2.7 3.4M6.3 7.6A16 16 0 002.5 12S6 18.5 12 18.5a9 9 0 004-.9',
  close: 'm6 6 12 12M18 6 6 18',
  menu: 'M4 7h16M4 12h16M4 17h16',
  help: 'M12 20.5a8.5 8.5 0 100-17 8.5 8.5 0 0 0 0 17M9.5 9.5a2.5 2.5 0 113.6 2.2c-.8.4-1.1.9-1.1 1.8m0 2.9h.01',
  pause: 'M9 5.5v13M15 5.5v13',
  play: 'M8 5.5v13l10.5-6.5z',
  sun: 'M12 16a4 4 0 100-8 4 4 0 0 0 0 8m0-13v1.5m0 15V21m9-9h-1.5m-15 0H3m15.4-6.4-1.1 1.1M6.7 17.3l-1.1 1.1m12.8 0-1.1-1.1M6.7 6.7 5.6 5.6',
  moon: 'M20 14.5A8.5 8.5 0 019.5 4a8.5 8.5 0 1010.5 10.5',
  system: 'M4 5h16v11H4zM9 20h6m-3-4v4',
  call: 'M4 12h14m0 0-5-5m5 5-5 5',
  back: 'M20 12H6m0 0 5-5m-5 5 5 5',
  top: 'M12 20V6m0 0-5 5m5-5 5 5',
  leave: 'M10 6H5v13h13v-5M13 4.5h6.5V11M19 5l-8 8',
  posting: 'M5 8h14m0 0-3.5-3.5M19 8l-3.5 3.5M19 16H5m0 0 3.5-3.5M5 16l3.5 3.5',
  status: 'M12 12h.01M12 20a8 8 0 100-16 8 8 0 0 0 0 16',
  language: 'M12 20.5a8.5 8.5 0 100-17 8.5 8.5 0 0 0 0 17M3.5 12h17M12 3.5c5 5 5 12 0 17c-5-5-5-12 0-17',
  book: 'M4.5 5.5c3-1 5.5-.5 7.5 1 2-1.5 4.5-2 7.5-1v13c-3-1-5.5-.5-7.5 1-2-1.5-4.5-2-7.5-1zM12 6.5v13',
} as const

export type IconName = keyof typeof paths

export const Icon = ({ name }: { name: IconName }) => (
  <svg class="icon" viewBox="0 0 24 24" aria-hidden="true">
    <path d={paths[name]} />
  </svg>
)

interface ButtonProps {
  onClick: (event: MouseEvent) => unknown
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

/** Writes its value only over another one: a date that is half typed has none, and would be emptied. */
export const Input = ({ value, ...others }: JSX.IntrinsicElements['input'] & { value: string }) => {
  const element = useRef<HTMLInputElement>(null)
  useLayoutEffect(() => {
    if (element.current !== null && element.current.value !== value) element.current.value = value
  }, [value])
  return <input {...others} ref={element} />
}

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

interface FileDropProps {
  /** Accessible name. */
  label: string
  button: string
  accept: string
  tone?: 'primary' | 'plain'
  /** Of the chosen file. */
  name: string | undefined
  disabled: boolean
  choose: (file: File) => void
}

/** Chooses a file, which can also be dropped here. */
export const FileDrop = ({ label, button, tone = 'plain', accept, name, disabled, choose }: FileDropProps) => {
  const take = (files: FileList | null | undefined) => {
    const file = files?.[0]
    if (file !== undefined && !disabled) choose(file)
  }
  return (
    <label
      class="drop"
      onDragOver={(event: DragEvent) => event.preventDefault()}
      onDrop={(event: DragEvent) => {
        event.preventDefault()
        take(event.dataTransfer?.files)
      }}
    >
      <span class={`button ${tone}`}>{button}</span>
      {name === undefined ? 'or drop it here' : <bdi>{name}</bdi>}
      <input
        class="visually-hidden"
        type="file"
        {...{ accept, disabled }}
        aria-label={label}
        // The target is the input element.
        onChange={(event: Event) => take((event.target as HTMLInputElement | null)?.files)}
      />
    </label>
  )
}

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
