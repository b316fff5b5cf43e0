/** The fields of a form: single ones, rows of them, and groups. */
import { type Child, useRef } from 'hono/jsx/dom'
import { capitalized } from '../../../base/text.js'
import { labelOf } from '../../../protocol/platform/fields.js'
import type { Failure as Refusal } from '../../api.js'
import { errorText, readableAmount } from '../../format.js'
import { t } from '../../language.js'
import { type Field, fieldOfError, jsonLiteral } from '../../store/form.js'
import { typedIn, useEffect, useState } from '../../store/hooks.js'
import { Failure, FailureDetails } from '../layout.js'
import { Prose } from '../text.js'
import { Button, IconButton } from './controls.js'

interface FieldsProps {
  fields: readonly Field[]
  error: Refusal | null
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
  const free = fields.filter(({ line }) => line === undefined)
  const groupNames = free.map(groupOf)
  const groups = [...new Set(groupNames)].filter((group) => group !== null)
  return (
    <div class="form-fields" ref={element}>
      {free.length === fields.length ? null : <FieldTable fields={fields.filter(({ line }) => line)} error={error} />}
      {free.filter((_, at) => groupNames[at] === null).map(row)}
      {groups.map((group) => {
        const members = free.filter((_, at) => groupNames[at] === group)
        return (
          <Group key={group} name={group} members={members} open={members.some(({ name }) => name === bad)}>
            {members.map(row)}
          </Group>
        )
      })}
    </div>
  )
}

interface GroupChoiceProps {
  groups: readonly string[]
  chosen: string | undefined
  choose: (group: string) => void
}

const GroupChoice = ({ groups, chosen, choose }: GroupChoiceProps) => (
  <fieldset class="choice">
    <legend class="visually-hidden">Currency</legend>
    {groups.map((group) => (
      <Button key={group} tone="quiet" pressed={group === chosen} onClick={() => choose(group)}>
        {group}
      </Button>
    ))}
  </fieldset>
)

/** Fields of a table: a line for each thing, a column for each of its values. Of several groups, one shows: the chosen one, or that of the error. */
const FieldTable = ({ fields, error }: Pick<FieldsProps, 'fields' | 'error'>) => {
  const bad = fieldOfError(error, fields)
  const columns = [...new Set(fields.map(({ label }) => label))]
  const idOf = ({ line: { title, group } = { title: '' } }: Field) => `${group} ${title}`
  const lines = [...new Map(fields.map((field) => [idOf(field), field.line])).values()]
  const groups = [...new Set(lines.flatMap((line) => line?.group ?? []))]
  const [picked, pick] = useState({ group: groups[0], error })
  const badGroup = fields.find(({ name }) => name === bad)?.line?.group
  const chosen = picked.error === error ? picked.group : (badGroup ?? picked.group)
  const cell = (label: string | undefined, id: string, title: string) => {
    const field = fields.find((one) => one.label === label && idOf(one) === id)
    const own = field?.name === bad ? error : null
    return (
      <td key={label} data-name={label && t(label)}>
        {field && (
          <>
            <Control
              {...{ field, id: `field-${field.name}`, error: own }}
              accessibleName={`${title}: ${t(label ?? '')}`}
            />
            <FieldError error={own} />
          </>
        )}
      </td>
    )
  }
  return (
    <>
      {groups.length === 0 ? null : (
        <GroupChoice groups={groups} chosen={chosen} choose={(group) => pick({ group, error })} />
      )}
      <table class="field-table">
        <thead>
          <tr>
            <td />
            {columns.map((label) => (
              <th key={label} scope="col">
                {label}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {lines.map(({ title, name, hint, group } = { title: '' }) => (
            <tr key={`${group} ${title}`} hidden={group !== chosen}>
              <th scope="row">
                {title} {name === undefined ? null : <code class="field-name">{name}</code>}
                {hint === undefined ? null : <p class="hint">{hint}</p>}
              </th>
              {columns.map((label) =>
                cell(label, `${group} ${title}`, group === undefined ? t(title) : `${group}, ${t(title)}`),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </>
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

interface FieldProps {
  field: Field
  onInput?: ((value: string) => void) | undefined
  /** Shown if it is about this field. */
  error?: Refusal | null | undefined
}

/** The error of a form, unless it stands at one of these fields. */
export const FormFailure = ({ error, fields }: { error: Refusal | null; fields: readonly Pick<Field, 'name'>[] }) =>
  error === null || fieldOfError(error, fields) !== undefined ? null : <Failure error={error} />

/** What the API says, or what the page has found before it asked. */
const FieldError = ({ error }: { error: Refusal | null }) => {
  if (error === null) return null
  const { rule } = error.details
  return (
    <div class="field-error" role="alert">
      {typeof rule === 'string' ? `${capitalized(t(rule))}.` : errorText(error)}{' '}
      {error.status === 0 ? null : rule === undefined ? <FailureDetails error={error} /> : <code>{error.code}</code>}
    </div>
  )
}

export const FieldRow = ({ field, onInput, error: ofForm = null }: FieldProps) => {
  const error = fieldOfError(ofForm, [field]) === undefined ? null : ofForm
  const id = `field-${field.name}`
  const label = field.label ?? labelOf(field.name)
  const own = <code class="field-name">{field.name}</code>
  const notes = (
    <div class="field-notes" id={`${id}-notes`}>
      <FieldError error={error} />
      {field.hint === undefined || error?.details.rule !== undefined ? null : (
        <p class="hint">
          <Prose text={field.hint} />
        </p>
      )}
    </div>
  )
  if (field.kind === 'rows')
    return (
      <div class="field whole">
        <Rows field={field} onInput={onInput} describedBy={`${id}-notes`} />
        {notes}
      </div>
    )
  if (field.kind === 'check')
    return (
      <div class="field whole">
        <label class="check">
          <input
            {...{ type: 'checkbox', id, name: field.name }}
            checked={field.value === true || field.value === 'true'}
            onInput={(event: Event) =>
              onInput?.(event.target instanceof HTMLInputElement && event.target.checked ? 'true' : '')
            }
          />
          <span>
            {label} {own}
          </span>
        </label>
        {notes}
      </div>
    )
  return (
    <div class={`field${isWide(field) || (onInput === undefined && isLong(field)) ? ' whole' : ''}`}>
      <label for={id}>
        {label} {field.name === label ? null : own}
        {field.required !== true ? <span class="faint"> optional</span> : null}
      </label>
      <Control id={id} field={field} error={error} onInput={onInput} />
      {notes}
    </div>
  )
}

const isWide = ({ kind }: Field) => kind === 'area' || kind === 'code' || kind === 'url'
/** More than half of a form shows. */
const isLong = ({ value }: Field) => typeof value === 'string' && value.length > 24

const Control = ({
  id,
  field,
  error,
  onInput,
  accessibleName,
}: FieldProps & { id: string; accessibleName?: string }) => {
  const common = {
    id,
    name: field.name,
    ...(accessibleName === undefined ? { 'aria-describedby': `${id}-notes` } : { 'aria-label': accessibleName }),
    'aria-required': field.required === true ? 'true' : 'false',
    ...(field.placeholder === undefined ? {} : { placeholder: field.placeholder }),
    ...(field.maxLength === undefined ? {} : { maxLength: field.maxLength }),
    ...(error == null ? {} : { 'aria-invalid': 'true' }),
    ...(onInput === undefined ? {} : { onInput: (event: Event) => onInput(typedIn(event)) }),
  }
  const text = typeof field.value === 'string' ? field.value : ''
  // What a listener gets is sent as it stands.
  const value = field.kind === 'amount' && onInput === undefined ? readableAmount(text) : text
  if (field.kind === 'choice')
    return (
      <select {...common}>
        {field.required === true ? null : <option value="">{field.placeholder ?? '–'}</option>}
        {(field.choices ?? []).map((choice) => (
          <option key={choice} value={choice} selected={choice === value} translate="no">
            {t(field.words?.(choice) ?? '') || choice}
          </option>
        ))}
      </select>
    )
  if (field.kind === 'area' || field.kind === 'code')
    return (
      <textarea {...common} class={field.kind === 'code' ? 'mono' : ''} rows={4} spellcheck={false} value={value} />
    )
  const { suggestions = [] } = field
  return (
    <>
      <input
        {...common}
        {...(field.kind === 'moment' ? { type: 'datetime-local', step: 1 } : { type: 'text' })}
        {...(suggestions.length === 0 ? {} : { list: `${id}-suggestions` })}
        value={value}
        inputMode={field.kind === 'amount' ? 'decimal' : field.kind === 'url' ? 'url' : 'text'}
        autocomplete="off"
        spellcheck={false}
      />
      {suggestions.length === 0 ? null : (
        <datalist id={`${id}-suggestions`}>
          {suggestions.map((value) => (
            <option key={value} value={value} />
          ))}
        </datalist>
      )}
    </>
  )
}

type Row = Readonly<Record<string, string>>

interface RowsProps {
  field: Field
  /** Gets the JSON text; empty without lines. */
  onInput?: ((value: string) => void) | undefined
  describedBy: string
}

export const Rows = ({ field, onInput, describedBy }: RowsProps) => {
  const { name, label = labelOf(name), columns = [], value } = field
  const [lines, setRows] = useState<readonly Row[]>([])
  // A form that was cleared has no lines.
  const rows = value === '' ? [] : lines
  const change = (next: readonly Row[]) => {
    setRows(next)
    const texts = next.map((row) =>
      columns.flatMap(({ name: column, kind }) => {
        const value = row[column] ?? ''
        return value === '' ? [] : [`"${column}":${kind === 'amount' ? jsonLiteral(value) : JSON.stringify(value)}`]
      }),
    )
    onInput?.(next.length === 0 ? '' : `[${texts.map((text) => `{${text.join()}}`).join()}]`)
  }
  return (
    <fieldset class="rows" aria-label={label} aria-describedby={describedBy}>
      {rows.map((row, at) => (
        <div class="rows-line" key={String(at)}>
          {columns.map((column) => (
            <label key={column.name}>
              <span>
                {column.label} <code class="field-name">{column.name}</code>
              </span>
              <input
                value={row[column.name] ?? ''}
                inputMode={column.kind === 'amount' ? 'decimal' : 'text'}
                autocomplete="off"
                spellcheck={false}
                onInput={(event: Event) =>
                  change(rows.map((one, own) => (own === at ? { ...one, [column.name]: typedIn(event) } : one)))
                }
              />
            </label>
          ))}
          <IconButton
            icon="close"
            accessibleName={t`Remove line ${at + 1}`}
            onClick={() => change(rows.filter((_, own) => own !== at))}
          />
        </div>
      ))}
      <Button onClick={() => change([...rows, {}])}>Add a line</Button>
    </fieldset>
  )
}
