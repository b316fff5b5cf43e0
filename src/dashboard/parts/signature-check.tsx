/** Shows step by step how a receiver verifies a webhook. Each value can be changed. */

import { useState } from 'hono/jsx/dom'
import type { Webhook } from '../../client/types/control.js'
import { lowerCaseWebhookHeaders, webhookHeaders } from '../../protocol/platform/headers.js'
import { lines, quoteForShell } from '../../protocol/platform/shell-calls.js'
import { attempt } from '../store/commands.js'
import { typedIn, useEffect } from '../store/hooks.js'
import { useAccounts } from '../store/query.js'
import { Code } from './code.js'
import { Button, Select } from './forms/controls.js'
import { Loaded, Panel } from './layout.js'
import { Pill } from './text.js'

interface Key {
  owner: string
  secret: string
}

/** Tries the few credentials to find the one that signed it. */
export const SignatureCheck = ({ row }: { row: Webhook }) => {
  const accounts = useAccounts()
  const [hmac, setHmac] = useState<typeof import('../hmac.js') | undefined>(undefined)
  useEffect(() => void attempt(() => import('../hmac.js').then(setHmac)), [])
  const sent = row.attempts.at(-1)?.request_headers
  const received =
    Object.entries(sent ?? {}).find(([name]) => name.toLowerCase() === lowerCaseWebhookHeaders.signature)?.[1] ?? ''
  return (
    <Panel title="Check the signature step by step">
      {hmac === undefined ? (
        <p class="loading">Loading…</p>
      ) : (
        <Loaded of={accounts}>
          {({ data }) => {
            const keys = data.flatMap(({ username, credentials }) =>
              credentials.map((own): Key => ({ owner: `${username} · ${own.client_id}`, secret: own.webhook_secret })),
            )
            const signer = keys.find(({ secret }) => hmac.hmacHex(secret, row.body) === received) ?? keys[0]
            return <Steps {...{ keys, signer, received, ...hmac }} body={row.body} />
          }}
        </Loaded>
      )}
    </Panel>
  )
}

interface StepsProps {
  keys: readonly Key[]
  signer: Key | undefined
  body: string
  received: string
  hmacHex: typeof import('../hmac.js').hmacHex
}

const Steps = ({ keys, signer, body, received, hmacHex }: StepsProps) => {
  // What was typed stays when the signer or the header changes.
  const [typedSecret, setSecret] = useState<string | null>(null)
  const [text, setText] = useState(body)
  const [header, setHeader] = useState<string | null>(null)
  const secret = typedSecret ?? signer?.secret ?? ''
  const given = header ?? received
  const computed = hmacHex(secret, text)
  return (
    <ol class="steps">
      <SecretStep keys={keys} secret={secret} choose={setSecret} />
      <li>
        <label for="check-body">Raw body, exactly as sent</label>
        <textarea
          id="check-body"
          class="mono"
          rows={5}
          spellcheck={false}
          value={body}
          onInput={(event: Event) => setText(typedIn(event))}
        />
      </li>
      <li>
        <span class="step-name">HMAC-SHA256 of the body with the secret as key, in lowercase hex</span>
        <output class="hex">
          <Compared hex={computed} other={given} />
        </output>
      </li>
      <SentStep given={given} computed={computed} change={setHeader} />
      <li>
        <Code
          text={lines([`printf %s ${quoteForShell(text)}`, '| openssl dgst -sha256 -hmac "$WEBHOOK_SECRET"'])}
          label="The same check in a terminal; set WEBHOOK_SECRET to the secret first"
          noun="the command"
        />
      </li>
    </ol>
  )
}

interface SentProps {
  given: string
  computed: string
  change: (header: string) => void
}

const SentStep = ({ given, computed, change }: SentProps) => (
  <li>
    <label for="check-header">
      <code>{webhookHeaders.signature}</code> as sent
    </label>
    <input
      id="check-header"
      class="mono"
      value={given}
      spellcheck={false}
      autocomplete="off"
      onInput={(event: Event) => change(typedIn(event))}
    />
    {given === '' ? null : (
      <output class="hex">
        <Compared hex={given} other={computed} />
      </output>
    )}
    <p class="verdict">
      {given === '' ? (
        <Pill status="Not sent yet" />
      ) : (
        <Pill
          status={computed === given ? 'Equal: the signature is valid' : 'They differ: respond with 401'}
          tone={computed === given ? 'ok' : 'bad'}
        />
      )}
    </p>
  </li>
)

type SecretProps = Pick<StepsProps, 'keys'> & { secret: string; choose: (secret: string) => void }

const SecretStep = ({ keys, secret, choose }: SecretProps) => {
  const [shown, setShown] = useState(false)
  return (
    <li>
      <label for="check-secret">
        The <code>webhook_secret</code>
      </label>
      <div class="row">
        <Select
          accessibleName="Secret of"
          value={secret}
          choices={keys.map((key) => [key.secret, key.owner] as const)}
          choose={choose}
        />
        <input
          id="check-secret"
          class="mono grow"
          type={shown ? 'text' : 'password'}
          value={secret}
          autocomplete="off"
          spellcheck={false}
          onInput={(event: Event) => choose(typedIn(event))}
        />
        <Button pressed={shown} onClick={() => setShown(!shown)}>
          {shown ? 'Hide' : 'Show'}
        </Button>
      </div>
    </li>
  )
}

/** Groups of eight digits; different groups are marked. */
const Compared = ({ hex, other }: { hex: string; other: string }) => (
  <>
    {(hex.match(/.{1,8}/g) ?? []).map((group, index) => (
      <span
        key={String(index)}
        class={other === '' || other.slice(index * 8, index * 8 + 8) === group ? '' : 'differs'}
      >
        {group}
      </span>
    ))}
  </>
)
