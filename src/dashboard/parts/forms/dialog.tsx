/** The modal form: fields, errors, and keyboard handling. */
import { useRef } from 'hono/jsx/dom'
import { failureOf, type Failure as Refusal } from '../../api.js'
import { readableAmount, typedAmount } from '../../format.js'
import { dialog, type Field, type FormSpec, formOf, missingField, setNested } from '../../store/form.js'
import { useEffect, useState, useValue } from '../../store/hooks.js'
import { Button, IconButton } from './controls.js'
import { FormFailure, FormFields } from './fields.js'

export const DialogHost = () => {
  const spec = useValue(dialog)
  return spec === null ? null : <FormDialog key={spec.key} spec={spec} />
}

const FormDialog = ({ spec }: { spec: FormSpec }) => {
  const element = useRef<HTMLDialogElement>(null)
  const [error, setError] = useState<Refusal | null>(null)
  const [busy, setBusy] = useState(false)
  const { fields = [] } = spec
  // The user may have opened another one: the browser reports late that a dialog has closed.
  const close = () => {
    if (dialog.get() === spec) dialog.set(null)
  }
  useEffect(() => {
    element.current?.showModal()
    element.current
      ?.querySelector<HTMLElement>(':is(.field, td) :is(input, select, textarea), .button.primary')
      ?.focus()
  }, [])
  const submit = async (event: Event) => {
    event.preventDefault()
    const form = new FormData(formOf(event))
    const missing = missingField(fields, form)
    if (missing !== undefined) return setError(missing)
    setBusy(true)
    try {
      await spec.run(valuesOf(fields, form))
      close()
    } catch (thrown) {
      setBusy(false)
      setError(failureOf(thrown))
    }
  }
  return (
    <dialog ref={element} aria-labelledby="dialog-title" onClose={close}>
      <form onSubmit={submit} novalidate>
        <div class="dialog-head">
          <div>
            <h2 id="dialog-title">{spec.title}</h2>
            {spec.name === undefined ? null : <code class="faint">{spec.name}</code>}
          </div>
          <IconButton icon="close" accessibleName="Close" onClick={close} />
        </div>
        {spec.text === undefined ? null : <p>{spec.text}</p>}
        <FormFields fields={fields} error={error} />
        <FormFailure error={error} fields={fields} />
        <div class="dialog-foot">
          <Button onClick={close}>Cancel</Button>
          <button type="submit" class={`button ${spec.danger === true ? 'danger' : 'primary'}`} disabled={busy}>
            {spec.submit}
          </button>
        </div>
      </form>
    </dialog>
  )
}

/** Omits empty fields; an amount that was not changed stays as it was, with all its decimals. A dot in a name leads into an object. */
function valuesOf(fields: readonly Field[], data: FormData): Record<string, unknown> {
  const values: Record<string, unknown> = {}
  for (const { name, kind, value } of fields) {
    const typed = data.get(name)
    const isSame = typeof value === 'string' && typed === readableAmount(value)
    const text = kind === 'amount' && typeof typed === 'string' ? (isSame ? value : typedAmount(typed)) : typed
    if (kind === 'check') setNested(values, name, text !== null)
    else if (typeof text === 'string' && text !== '') setNested(values, name, text)
  }
  return values
}
