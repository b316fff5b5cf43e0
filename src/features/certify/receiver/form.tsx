/** The form that certifies a receiver: rule by rule, or under load. */
import { useState } from 'hono/jsx/dom'
import type { RouteInput } from '../../../inside/client.js'
import { FieldRow } from '../../../inside/pages.js'
import { type LoadFields, LoadForm, loadOf, noLoad } from '../load/charts.js'

export type CertifyRequest = RouteInput<'POST /certify/receiver'>['body']

interface FormFields {
  /** null: nothing was typed yet. */
  url: string | null
  stateUrl: string
  load: LoadFields
}

export const firstUrl = 'http://127.0.0.1:3000/webhooks'

const requestOf = ({ url, stateUrl, load }: FormFields & { url: string }): CertifyRequest => ({
  ...{ url: url.trim(), ...loadOf(load) },
  ...(stateUrl.trim() === '' ? {} : { state_url: stateUrl.trim() }),
})

interface FormProps {
  /** The URL until another one is typed. */
  receiver: string
  busy: boolean
  certify: (request: CertifyRequest) => Promise<void>
  /** Called with what would be sent now. */
  change: (request: CertifyRequest) => void
}

export const CertifyForm = ({ receiver, busy, certify, change }: FormProps) => {
  const [fields, setFields] = useState<FormFields>({ url: null, stateUrl: '', load: noLoad })
  const { url, stateUrl, load } = fields
  const request = (of: FormFields) => requestOf({ ...of, url: of.url ?? receiver })
  const update = (more: Partial<FormFields>) => {
    const next = { ...fields, ...more }
    setFields(next)
    change(request(next))
  }
  return (
    <form
      class="certify"
      data-focus
      onSubmit={(event: Event) => {
        event.preventDefault()
        if (!busy) void certify(request(fields))
      }}
    >
      <FieldRow
        field={{ name: 'url', label: 'Receiver URL', kind: 'url', required: true, value: url ?? receiver }}
        onInput={(next) => update({ url: next })}
      />
      <FieldRow
        field={{
          ...{ name: 'state_url', label: 'State URL', kind: 'url', value: stateUrl },
          hint: 'Needed to test what your app did with an event: duplicates, order, amounts and disputes. Must answer `GET ?transaction_id=…` with `{"status": "confirmed", "credited": "25.50"}`',
        }}
        onInput={(next) => update({ stateUrl: next })}
      />
      <LoadForm load={load} change={(next) => update({ load: next })} />
      <button type="submit" class="button primary" disabled={busy}>
        {busy ? 'Testing…' : 'Certify'}
      </button>
    </form>
  )
}
