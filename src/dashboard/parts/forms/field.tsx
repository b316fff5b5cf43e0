/** One field of a form: label, input, hint and error. */

import type { Field } from '../../store/dialog.js'
import { typedIn } from '../../store/form.js'

interface FieldProps {
  field: Field
  onInput?: ((value: string) => void) | undefined
  /** The API rejected its value. */
  bad?: boolean | undefined
}

export const FieldRow = ({ field, onInput, bad }: FieldProps) => {
  const id = `field-${field.name}`
  if (field.kind === 'check')
    return (
      <label class="check">
        <input type="checkbox" id={id} name={field.name} checked={field.value === true} />
        {field.label ?? field.name}
      </label>
    )
  return (
    <div class="field">
      <label for={id}>
        {field.label ?? field.name}
        {field.required === true ? null : <span class="faint"> optional</span>}
      </label>
      <Control {...{ id, field, bad, onInput }} />
      {field.hint === undefined ? null : (
        <p class="hint" id={`${id}-hint`}>
          {field.hint}
        </p>
      )}
    </div>
  )
}

const Control = ({ id, field, bad, onInput }: FieldProps & { id: string }) => {
  const common = {
    id,
    name: field.name,
    'aria-required': field.required === true ? 'true' : 'false',
    ...(field.hint === undefined ? {} : { 'aria-describedby': `${id}-hint` }),
    ...(field.maxLength === undefined ? {} : { maxLength: field.maxLength }),
    ...(bad === true ? { 'aria-invalid': 'true' } : {}),
    ...(onInput === undefined ? {} : { onInput: (event: Event) => onInput(typedIn(event)) }),
  }
  const value = typeof field.value === 'string' ? field.value : ''
  if (field.kind === 'choice')
    return (
      <select {...common}>
        {field.required === true ? null : <option value="">–</option>}
        {(field.choices ?? []).map((choice) => (
          <option key={choice} value={choice} selected={choice === value}>
            {choice}
          </option>
        ))}
      </select>
    )
  if (field.kind === 'area' || field.kind === 'code')
    return (
      <textarea
        {...common}
        class={field.kind === 'code' ? 'mono' : ''}
        rows={field.kind === 'code' ? 14 : 4}
        spellcheck={false}
      >
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
