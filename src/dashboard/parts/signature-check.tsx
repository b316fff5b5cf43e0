/** Shows step by step how a receiver verifies a webhook. Each value can be changed. */
import type { Webhook } from '../../client/types/control.js'
import { lowerCaseWebhookHeaders, webhookHeaders } from '../../protocol/platform/headers.js'
import { webhookToleranceSeconds } from '../../protocol/platform/limits.js'
import { lines, quoteForShell } from '../../protocol/platform/shell-calls.js'
import { t } from '../language.js'
import { attempt } from '../store/commands.js'
import { typedIn, useEffect, useState } from '../store/hooks.js'
import { useAccounts } from '../store/query.js'
import { AttemptSelect } from './attempts.js'
import { Code } from './code.js'
import { Button, Select } from './forms/controls.js'
import { Loaded, Panel } from './layout.js'
import { Pill } from './text.js'

interface Key {
  owner: string
  secret: string
}

/** Judges an attempt as it was sent, at first the last one. Tries the few credentials to find the one that signed it. */
export const SignatureCheck = ({ row }: { row: Webhook }) => {
  const accounts = useAccounts()
  const [hmac, setHmac] = useState<typeof import('../hmac.js') | undefined>(undefined)
  useEffect(() => void attempt(() => import('../hmac.js').then(setHmac)), [])
  const [chosen, choose] = useState('')
  const judged = row.attempts.find(({ number }) => String(number) === chosen) ?? row.attempts.at(-1)
  const sent = (wanted: string) =>
    Object.entries(judged?.request_headers ?? {}).find(([name]) => name.toLowerCase() === wanted)?.[1] ?? ''
  const body = judged?.request_body ?? row.body
  const received = sent(lowerCaseWebhookHeaders.signature)
  return (
    <Panel
      title="Check the signature step by step"
      tools={
        row.attempts.length < 2 ? undefined : (
          <AttemptSelect
            attempts={row.attempts}
            accessibleName="Attempt to check"
            value={String(judged?.number)}
            choose={choose}
          />
        )
      }
    >
      {hmac === undefined ? (
        <p class="loading">Loading…</p>
      ) : (
        <Loaded of={accounts}>
          {({ data }) => {
            const keys = data.flatMap(({ username, credentials }) =>
              credentials.map((own): Key => ({ owner: `${username} · ${own.client_id}`, secret: own.webhook_secret })),
            )
            // A scenario alters only the end of a signature.
            const start = (signature: string) => signature.slice(0, 8)
            const signed = judged?.signed_body ?? body
            const signer = keys.find(({ secret }) => start(hmac.hmacHex(secret, signed)) === start(received)) ?? keys[0]
            const timestamp = sent(lowerCaseWebhookHeaders.timestamp)
            const isStale = judged?.faults?.includes('tamper: timestamp') === true
            return <Steps key={chosen} {...{ keys, signer, body, received, timestamp, isStale, ...hmac }} />
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
  timestamp: string
  isStale: boolean
  hmacHex: typeof import('../hmac.js').hmacHex
}

const Steps = ({ keys, signer, body, received, timestamp, isStale, hmacHex }: StepsProps) => {
  // What was typed stays when another attempt is sent.
  const [typedSecret, setSecret] = useState<string | null>(null)
  const [typedBody, setBody] = useState<string | null>(null)
  const [header, setHeader] = useState<string | null>(null)
  const secret = typedSecret ?? signer?.secret ?? ''
  const text = typedBody ?? body
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
          value={text}
          onInput={(event: Event) => setBody(typedIn(event))}
        />
      </li>
      <li>
        <span class="step-name">HMAC-SHA256 of the body with the secret as key, in lowercase hex</span>
        <output class="hex">
          <Compared hex={computed} other={given} />
        </output>
      </li>
      <SentStep given={given} computed={computed} change={setHeader} />
      {timestamp === '' ? null : <TimestampStep timestamp={timestamp} isStale={isStale} />}
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

const TimestampStep = ({ timestamp, isStale }: Pick<StepsProps, 'timestamp' | 'isStale'>) => (
  <li>
    <span class="step-name">
      <code>{webhookHeaders.timestamp}</code> as sent
    </span>
    <output class="hex">{timestamp}</output>
    <p class="verdict">
      <Pill
        status={
          isStale
            ? t`Over ${webhookToleranceSeconds} seconds old when it was sent: respond with 401`
            : 'The time of sending: valid'
        }
        tone={isStale ? 'bad' : 'ok'}
      />
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
