/** All fields of a form: single ones in columns, those of an object or a list in a group that folds. */
import { type Child, useRef } from 'hono/jsx/dom'
import { labelOf } from '../../../protocol/platform/fields.js'
import type { Failure } from '../../api.js'
import type { Field } from '../../store/dialog.js'
import { useEffect } from '../../store/effect.js'
import { fieldOfError } from '../../store/form-errors.js'
import { FieldRow } from './field.js'

interface FieldsProps {
  fields: readonly Field[]
  error: Failure | null
  onInput?: (field: string, value: string) => void
  /** Distinguishes inputs that a change of another field resets. */
  keyOf?: (field: string) => string
}

/** One field of an object stands by itself. */
function groupOf({ name, kind }: Field, _: number, all: readonly Field[]): string | null {
  if (kind === 'rows') return name
  const head = name.slice(0, name.indexOf('.') + 1)
  return head !== '' && all.filter((other) => other.name.startsWith(head)).length > 1 ? head.slice(0, -1) : null
}

export const FormFields = ({ fields, error, onInput, keyOf = (name) => name }: FieldsProps) => {
  const element = useRef<HTMLDivElement>(null)
  const bad = fieldOfError(error, fields)
  useEffect(() => {
    element.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus()
  }, [error])
  const row = (field: Field) => (
    <FieldRow
      key={keyOf(field.name)}
      field={field}
      error={field.name === bad ? error : null}
      onInput={onInput === undefined ? undefined : (value) => onInput(field.name, value)}
    />
  )
  const groupNames = fields.map(groupOf)
  const groups = [...new Set(groupNames)].filter((group) => group !== null)
  return (
    <div class="form-fields" ref={element}>
      {fields.filter(({ isLast }, at) => groupNames[at] === null && isLast !== true).map(row)}
      {groups.map((group) => {
        const members = fields.filter((_, at) => groupNames[at] === group)
        return (
          <Group key={group} name={group} members={members} open={members.some(({ name }) => name === bad)}>
            {members.map(row)}
          </Group>
        )
      })}
      {fields.filter(({ isLast }) => isLast === true).map(row)}
    </div>
  )
}

interface GroupProps {
  name: string
  members: readonly Field[]
  /** An error opens it; the user can then fold it. */
  open: boolean
  children?: Child
}

/** Folded, it shows the values inside. Its fields exist all the time, so that a form without a listener has them. */
const Group = ({ name, members, open, children }: GroupProps) => {
  const values = members.flatMap(({ kind, value }) => (kind !== 'rows' && value !== '' ? [value] : [])).filter(Boolean)
  return (
    <details class="field-group" open={open ? true : undefined}>
      <summary>
        <span class="field-group-name">{labelOf(name)}</span> <code class="field-name">{name}</code>
        <span class="faint">optional</span>
        {values.length === 0 ? null : <span class="faint values">{values.join(' · ')}</span>}
      </summary>
      {members[0]?.groupHint === undefined ? null : <p class="hint">{members[0].groupHint}</p>}
      <div class="form-fields">{children}</div>
    </details>
  )
}
