/** A list of objects in a form, one line each. Its value is their JSON text, with numbers exactly as typed. */
import { useState } from 'hono/jsx/dom'
import { labelOf } from '../../../protocol/platform/fields.js'
import { jsonLiteral } from '../../json-text.js'
import { t } from '../../language.js'
import type { Field } from '../../store/dialog.js'
import { typedIn } from '../../store/form.js'
import { Button, IconButton } from './controls.js'

type Row = Readonly<Record<string, string>>

interface RowsProps {
  field: Field
  /** Gets the JSON text; empty without lines. */
  onInput?: ((value: string) => void) | undefined
  describedBy: string
}

export const Rows = ({ field: { name, label = labelOf(name), columns = [] }, onInput, describedBy }: RowsProps) => {
  const [rows, setRows] = useState<readonly Row[]>([])
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
