/** Creates an object: a form with the endpoint's fields, and the resulting call beside it. */
import { keysOf } from '../../base/keys.js'
import type { Account, Credential } from '../../client/types/control.js'
import { requestHeaders, tokenPath } from '../../protocol/platform/headers.js'
import { callSteps } from '../../protocol/platform/shell-calls.js'
import { baseUrl, failureOf, type Failure as Refusal } from '../api.js'
import { kindName } from '../format.js'
import { t } from '../language.js'
import { Code } from '../parts/code.js'
import { Button, Select } from '../parts/forms/controls.js'
import { FormFailure, FormFields } from '../parts/forms/fields.js'
import { Empty, Head, Loaded, NotFound, Panel } from '../parts/layout.js'
import type { Writer } from '../parts/programs.js'
import { callEndpoint, type Endpoint, keysOfCredential } from '../platform-api.js'
import { attempt, showMessage } from '../store/commands.js'
import {
  bodyOf,
  currencyIn,
  fieldsFor,
  isKind,
  type KindName,
  kindNames,
  kindOf,
  type Shape,
  shapeOf,
} from '../store/creation.js'
import { useEffect, useState } from '../store/hooks.js'
import { announce } from '../store/live.js'
import { type Query, useAccounts } from '../store/query.js'
import { goFromHere, link, transactionsCrumb, walletsCrumb } from '../store/route.js'

// The request that a form would send: its body, and a program that sends it.

interface PreviewProps {
  endpoint: Endpoint
  credential: Credential | undefined
  body: string
}

const samples = { curl: 'curl', node: 'Node.js', python: 'Python' } as const

interface Sample {
  name: keyof typeof samples
  write: Writer
}

async function sampleIn(name: keyof typeof samples): Promise<Sample> {
  if (name === 'curl') return { name, write: callSteps }
  const { programs } = await import('../parts/programs.js')
  return { name, write: programs[name]({ ...requestHeaders, tokenPath }) }
}

const RequestPreview = ({ endpoint, credential, body }: PreviewProps) => {
  const [chosen, choose] = useState<Sample>({ name: 'curl', write: callSteps })
  const tools = keysOf(samples).map((name) => (
    <Button
      key={name}
      tone="quiet"
      pressed={name === chosen.name}
      onClick={() => attempt(() => sampleIn(name).then(choose))}
    >
      {samples[name]}
    </Button>
  ))
  return (
    <div class="preview">
      <Panel title="Request" tools={tools}>
        <Code text={body} label={`${endpoint.method} ${endpoint.path}`} noun="the body" />
        {credential === undefined ? null : (
          <Code
            text={chosen.write(baseUrl, keysOfCredential(credential), { ...endpoint, body })}
            label={`${samples[chosen.name]}${endpoint.signed ? t(', signed with the signing_key') : ''}`}
            noun="the program"
          />
        )}
      </Panel>
    </div>
  )
}

/** The address may also name the endpoint. */
export const CreateView = ({ id }: { id: string }) => {
  const name = isKind(id) ? id : kindNames.find((one) => kindOf(one).endpoint === id)
  return name === undefined ? <NotFound /> : <Create key={name} name={name} />
}

const Create = ({ name }: { name: KindName }) => {
  const accounts = useAccounts()
  const [shape, setShape] = useState<Query<Shape>>({ data: undefined, error: undefined })
  useEffect(() => {
    shapeOf(kindOf(name)).then(
      (data) => setShape({ data, error: undefined }),
      (thrown: unknown) => setShape({ data: undefined, error: failureOf(thrown) }),
    )
  }, [name])
  return (
    <>
      <Head title={kindOf(name).title} crumb={name === 'wallet' ? walletsCrumb : transactionsCrumb} />
      <nav class="tabs" aria-label="What to create">
        {kindNames.map((other) => (
          <a key={other} href={link('new', other)} aria-current={other === name ? 'page' : undefined}>
            {kindName(kindOf(other).endpoint)}
          </a>
        ))}
      </nav>
      <Loaded of={accounts}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No account">Create an account on the page Accounts first.</Empty>
          ) : (
            <Loaded of={shape}>{(known) => <CreateForm name={name} shape={known} accounts={data} />}</Loaded>
          )
        }
      </Loaded>
    </>
  )
}

/** The first active credential in the control API's list. */
const credentialOf = (account: Account | undefined) =>
  account?.credentials.find(({ active }) => active) ?? account?.credentials[0]

/** Fields that depend on the currency; a new currency resets them to its sample. */
const currencyFields = ['chain', 'network', 'key', 'key_type', 'name', 'bank_code', 'amount']

/** Eight digits, so that two samples hardly ever collide: the second would be rejected with DUPLICATE_EXTERNAL_ID. */
const newNumber = () => String(10_000_000 + Math.floor(Math.random() * 90_000_000))

function useDraft(name: KindName, others: readonly string[]) {
  const kind = kindOf(name)
  const [number] = useState(newNumber)
  const [typed, setTyped] = useState<Record<string, string>>({})
  const currency = currencyIn(typed)
  const sample: Record<string, string> = {
    ...kind.sample(currency, others),
    ...(kind.prefix === null ? {} : { external_id: `${kind.prefix}-${number}` }),
  }
  const setField = (field: string, value: string) => {
    if (field !== 'currency' && field !== 'base_currency') return setTyped({ ...typed, [field]: value })
    const keptValues = Object.entries(typed).filter(([other]) => !currencyFields.includes(other))
    setTyped({ ...Object.fromEntries(keptValues), [field]: value })
  }
  return { currency, values: { ...sample, ...typed }, type: setField, reset: setTyped }
}

interface FormProps {
  name: KindName
  shape: Shape
  accounts: readonly Account[]
}

/** Sends the call. An error stays until the next attempt. */
function useCall(name: KindName, endpoint: Endpoint, credential: Credential | undefined, body: string) {
  const [error, setError] = useState<Refusal | null>(null)
  const [busy, setBusy] = useState(false)
  const submit = async (event: Event) => {
    event.preventDefault()
    if (credential === undefined || busy) return
    setBusy(true)
    const open = goFromHere()
    try {
      const made = await callEndpoint(credential, endpoint, body)
      announce('everything')
      open(kindOf(name).hrefOf(made))
      showMessage(t`Created: ${kindName(kindOf(name).endpoint)}`)
    } catch (thrown) {
      setError(failureOf(thrown))
      setBusy(false)
    }
  }
  return { error, busy, submit }
}

const CreateForm = ({ name, shape, accounts }: FormProps) => {
  const usernames = accounts.map((one) => one.username)
  const [username, setUsername] = useState(usernames[0] ?? '')
  const credential = credentialOf(accounts.find((one) => one.username === username))
  const draft = useDraft(
    name,
    usernames.filter((one) => one !== username),
  )
  const fields = fieldsFor(shape, draft.currency)
  const body = bodyOf(fields, draft.values)
  const { error, busy, submit } = useCall(name, shape.endpoint, credential, body)
  const clear = () =>
    draft.reset(Object.fromEntries(fields.map((field) => [field.name, emptiedFields(field.name, draft)])))
  return (
    <div class="columns halves">
      <form class="panel create" onSubmit={submit} novalidate>
        <div class="panel-body">
          <div class="field">
            <label for="caller">Calling account</label>
            <Select id="caller" value={username} choices={usernames} choose={setUsername} />
            <p class="hint">The account that makes the call.</p>
          </div>
          <FormFields
            fields={fields.map((field) => ({ ...field, value: draft.values[field.name] ?? '' }))}
            error={error}
            onInput={draft.type}
            keyOf={(field) => (currencyFields.includes(field) ? `${field} ${draft.currency}` : field)}
          />
          <FormFailure error={error} fields={fields} />
          <div class="row">
            <button type="submit" class="button primary" disabled={busy}>
              Create
            </button>
            <Button onClick={() => draft.reset({})}>Fill in a sample</Button>
            <Button onClick={clear}>Clear</Button>
          </div>
        </div>
      </form>
      <RequestPreview endpoint={shape.endpoint} credential={credential} body={body} />
    </div>
  )
}

/** The currency decides which fields exist, so it keeps its value. */
const emptiedFields = (field: string, { values }: { values: Record<string, string> }) =>
  field === 'currency' || field === 'base_currency' ? (values[field] ?? '') : ''
