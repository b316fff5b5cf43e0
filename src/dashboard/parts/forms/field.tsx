/** One field of a form: label, input, hint and error. */
import { capitalized } from '../../../base/text.js'
import { labelOf } from '../../../protocol/platform/fields.js'
import type { Failure } from '../../api.js'
import { t } from '../../language.js'
import type { Field } from '../../store/dialog.js'
import { typedIn } from '../../store/form.js'
import { Prose } from '../text.js'
import { Rows } from './rows.js'

interface FieldProps {
  field: Field
  onInput?: ((value: string) => void) | undefined
  /** The error of the API, if it is about this field. */
  error?: Failure | null | undefined
}

export const FieldRow = ({ field, onInput, error }: FieldProps) => {
  const id = `field-${field.name}`
  const label = field.label ?? labelOf(field.name)
  const own = <code class="field-name">{field.name}</code>
  const notes = (
    <div class="field-notes" id={`${id}-notes`}>
      {error == null ? null : (
        <p class="field-error" role="alert">
          {typeof error.details.rule === 'string' ? `${capitalized(error.details.rule)}.` : error.message}{' '}
          <code>{error.code}</code>
        </p>
      )}
      {field.hint === undefined ? null : (
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
          <input type="checkbox" id={id} name={field.name} checked={field.value === true} />
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

const Control = ({ id, field, error, onInput }: FieldProps & { id: string }) => {
  const common = {
    id,
    name: field.name,
    'aria-required': field.required === true ? 'true' : 'false',
    'aria-describedby': `${id}-notes`,
    ...(field.maxLength === undefined ? {} : { maxLength: field.maxLength }),
    ...(error == null ? {} : { 'aria-invalid': 'true' }),
    ...(onInput === undefined ? {} : { onInput: (event: Event) => onInput(typedIn(event)) }),
  }
  const value = typeof field.value === 'string' ? field.value : ''
  if (field.kind === 'choice')
    return (
      <select {...common}>
        {field.required === true ? null : <option value="">–</option>}
        {(field.choices ?? []).map((choice) => (
          <option key={choice} value={choice} selected={choice === value} translate="no">
            {t(field.words?.(choice) ?? '') || choice}
          </option>
        ))}
      </select>
    )
  if (field.kind === 'area' || field.kind === 'code')
    return (
      <textarea {...common} class={field.kind === 'code' ? 'mono' : ''} rows={4} spellcheck={false}>
        {value}
      </textarea>
    )
  return (
    <input
      {...common}
      {...(field.kind === 'moment' ? { type: 'datetime-local', step: 1 } : { type: 'text' })}
      value={value}
      inputMode={field.kind === 'amount' ? 'decimal' : field.kind === 'url' ? 'url' : 'text'}
      autocomplete="off"
      spellcheck={false}
    />
  )
}
