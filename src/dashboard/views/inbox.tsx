/** The built-in receiver: its messages with their signatures, and its next responses. */
import { useRef } from 'hono/jsx/dom'
import { parseDuration } from '../../base/duration.js'
import type { Inbox, InboxMessage } from '../../client/types/control.js'
import { baseUrl } from '../api.js'
import { duration, eventName } from '../format.js'
import { t } from '../language.js'
import { isSameInbox } from '../parts/attempts.js'
import { Filters, isFiltered } from '../parts/filters.js'
import { patchCredential } from '../parts/forms/account-commands.js'
import { Button } from '../parts/forms/controls.js'
import { Head, Loaded, NextStep, Panel, paidChargeCurl } from '../parts/layout.js'
import { besideList, Paged } from '../parts/list-view.js'
import { keysOfMessages, Message, messageTable } from '../parts/messages.js'
import { Table } from '../parts/table.js'
import { Id } from '../parts/text.js'
import { attempt, send } from '../store/commands.js'
import { openForm } from '../store/form.js'
import { useEffect } from '../store/hooks.js'
import { type ListFilter, useAccounts, useList, useQuery } from '../store/query.js'
import { go, link, type Route, refine } from '../store/route.js'
import { sentEvents } from '../store/steps.js'

/** The first inbox, if none exists yet. */
const firstInbox = 'main'

export const InboxView = ({ route, id }: { route: Route; id: string }) =>
  id === '' ? <NewestInbox route={route} /> : <OneInbox route={route} name={id} />

/** Opens the most recently used inbox with messages; the address then names it, so that the view stays there. */
const NewestInbox = ({ route }: { route: Route }) => {
  const boxes = useQuery('GET /inbox', {}, ['inbox', 'workspace'])
  const rows = boxes.data?.data ?? []
  const name = (rows.find(({ messages }) => messages > 0) ?? rows[0])?.name
  useEffect(() => {
    if (name !== undefined) refine(link('inbox', name, Object.fromEntries(route.query)))
  }, [name])
  return boxes.data === undefined || name !== undefined ? (
    <>
      <Head title="Inbox" />
      <Loaded of={boxes}>{() => null}</Loaded>
    </>
  ) : (
    <OneInbox route={route} name={firstInbox} />
  )
}

const OneInbox = ({ route, name }: { route: Route; name: string }) => {
  const url = `${baseUrl}/_sandbox/inbox/${encodeURIComponent(name)}`
  const page = useList('GET /inbox/{name}', route, filters, ['inbox', 'workspace'], {
    params: { name },
    order: 'newest',
  })
  const boxes = useQuery('GET /inbox', {}, ['inbox', 'workspace'])
  const { messages: total, responses = [] } = boxes.data?.data.find((box) => box.name === name) ?? {}
  const rows = page.data?.data ?? []
  const isEmpty = page.data !== undefined && rows.length === 0 && !isFiltered(route)
  const keys = keysOfMessages(rows)
  const keyOf = (row: InboxMessage) => keys.get(row) ?? ''
  const asked = route.query.get('message')
  // The newest one when the page opened: it stays when others arrive.
  const first = useRef<string | null>(null)
  if (rows[0] !== undefined) first.current ??= keyOf(rows[0])
  const shown = [asked, first.current].flatMap((key) => rows.find((row) => keyOf(row) === key) ?? [])[0] ?? rows[0]
  const query = Object.fromEntries(route.query)
  const hrefOf = (message: string) => link('inbox', name, { ...query, message })
  return (
    <>
      <Head title="Inbox">
        <Button onClick={() => askResponses(name, responses)}>Configure responses</Button>
        <Button
          disabled={isEmpty || page.data === undefined}
          onClick={() =>
            attempt(() => send('DELETE /inbox/{name}', { params: { name } }), 'Deleted: messages and responses')
          }
        >
          Empty this inbox
        </Button>
        <Button onClick={askName}>New inbox</Button>
      </Head>
      <Boxes at={name} />
      <div class="row">
        <span class="faint">
          A built-in receiver. Use its address as <code>postback_url</code>:
        </span>
        <Id id={url} noun="the address of the inbox" />
        {boxes.data === undefined ? null : <Responses of={responses} />}
        <UseInbox url={url} />
      </div>
      <Filters route={route} filters={filters} />
      <div
        class={asked === null || shown === undefined ? 'columns preview' : 'columns preview one-message'}
        onFocusCapture={followFocus}
      >
        <Panel flush>
          <Paged
            {...{ route, page, total, noMatch: 'No message matches', empty: <EmptyInbox url={url} /> }}
            show={(found) => <Table {...messageTable(keyOf, hrefOf)} rows={found} shown={shown && keyOf(shown)} />}
          />
        </Panel>
        {shown === undefined ? null : (
          <Message key={keyOf(shown)} row={shown} all={link('inbox', name, { ...query, message: null })} />
        )}
      </div>
    </>
  )
}

/** `It answers its next messages with 500, then 200 after 2 s.` The last one repeats. */
const Responses = ({ of: responses }: { of: Inbox['responses'] }) => (
  <span class="faint">
    {responses.length > 1 ? 'It answers its next messages with' : 'It answers with'}{' '}
    {responses.length === 0 ? '200' : responses.map(responseText).join(t(', then '))}.
  </span>
)

function responseText({ status, delay }: Inbox['responses'][number]): string {
  const delayMs = parseDuration(delay) ?? 0
  return delayMs === 0 ? String(status) : t`${status} after ${duration(delayMs)}`
}

/** Beside the list, the focused message is shown: by j and k, or by a click. */
function followFocus({ target }: Event): void {
  if (target instanceof HTMLAnchorElement && target.matches('.row-link') && besideList.matches) refine(target.hash)
}

const EmptyInbox = ({ url }: { url: string }) => (
  <NextStep title="Nothing received yet" curl={(credential) => paidChargeCurl(credential, url)}>
    Run this command to create and pay a charge. Its webhook arrives here.
  </NextStep>
)

const filters: readonly ListFilter<'GET /inbox/{name}'>[] = [
  { name: 'event', label: 'Event', choices: sentEvents, words: eventName },
  { name: 'about', label: 'Transaction id or your reference' },
]

/** Links to the inboxes in use. */
const Boxes = ({ at }: { at: string }) => {
  const boxes = useQuery('GET /inbox', {}, ['inbox', 'workspace'])
  const known = boxes.data?.data ?? []
  if (known.length === 0) return null
  const rows = known.some(({ name }) => name === at) ? known : [...known, { name: at, messages: 0 }]
  return (
    <nav class="tabs" aria-label="Inboxes">
      {rows.map(({ name, messages }) => (
        <a key={name} href={link('inbox', name)} aria-current={name === at ? 'page' : undefined}>
          {name} <span class="faint num">{messages}</span>
        </a>
      ))}
    </nav>
  )
}

const UseInbox = ({ url }: { url: string }) => {
  const accounts = useAccounts()
  const otherCredentials = (accounts.data?.data ?? []).flatMap(({ username, credentials }) =>
    credentials
      .filter(({ postback_url }) => !isSameInbox(postback_url, url))
      .map(({ client_id }) => ({ username, client_id })),
  )
  if (otherCredentials.length === 0) return null
  return (
    <div class="row push">
      {otherCredentials.map(({ username, client_id }) => (
        <Button
          key={client_id}
          title={client_id}
          onClick={() =>
            attempt(
              () => patchCredential(client_id, { postback_url: url }),
              t`The webhooks of ${username} are sent to this inbox`,
            )
          }
        >
          Send the webhooks of {username} here
        </Button>
      ))}
    </div>
  )
}

function askResponses(name: string, responses: Inbox['responses']): void {
  openForm<{ responses?: string }>({
    title: 'Configure responses',
    text: 'The responses to the next webhooks, in order. The last one repeats. An inbox without a setting answers 200.',
    fields: [
      {
        name: 'responses',
        label: 'Status codes',
        hint: 'Statuses of the next responses, such as 500 503@2s 200. The time after @ delays the response.',
        placeholder: '500 503@2s 200',
        value: responses
          .map(({ status, delay }) => (delay === '0ms' ? status : `${status}@${delay.replace(/000ms$/, 's')}`))
          .join(' '),
        required: true,
      },
    ],
    submit: 'Set',
    run: ({ responses }) =>
      send('PUT /inbox/{name}', {
        params: { name },
        body: {
          responses: (responses ?? '')
            .split(/[\s,]+/)
            .filter((word) => word !== '')
            .map((word) => {
              const [status, delay] = word.split('@')
              return { status: Number(status), delay }
            }),
        },
      }),
  })
}

function askName(): void {
  openForm<{ name?: string }>({
    title: 'New inbox',
    text: 'Enter any name. For example, use one inbox for each part of your system.',
    fields: [{ name: 'name', required: true }],
    submit: 'Open',
    run: async ({ name }) => go(link('inbox', name ?? firstInbox)),
  })
}
