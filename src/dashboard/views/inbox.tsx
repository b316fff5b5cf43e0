/** The built-in receiver: its messages with their signatures, and its next responses. */
import { baseUrl } from '../api.js'
import { eventName } from '../format.js'
import { Id } from '../parts/copy.js'
import { Filters, isFiltered } from '../parts/filters.js'
import { NextStep, paidChargeCurl } from '../parts/first-charge.js'
import { patchCredential } from '../parts/forms/account-commands.js'
import { Button } from '../parts/forms/controls.js'
import { Head, Loaded, Panel } from '../parts/layout.js'
import { Paged } from '../parts/list-view.js'
import { Messages } from '../parts/messages.js'
import { attempt, send } from '../store/commands.js'
import { openForm } from '../store/dialog.js'
import { useEffect } from '../store/effect.js'
import { type ListFilter, useList } from '../store/list.js'
import { useAccounts, useQuery } from '../store/query.js'
import { go, link, type Route } from '../store/route.js'
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
    if (name !== undefined) go(link('inbox', name, Object.fromEntries(route.query)), true)
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
  const isEmpty = page.data?.data.length === 0 && !isFiltered(route)
  return (
    <>
      <Head title="Inbox">
        <Button onClick={() => askResponses(name)}>Configure responses</Button>
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
      <Panel>
        <p>
          A webhook receiver that is built into the sandbox. Use its address as <code>postback_url</code> to receive
          webhooks here.
        </p>
        <Id id={url} noun="the address of the inbox" />
        <UseInbox url={url} />
      </Panel>
      <Boxes at={name} />
      <Filters route={route} filters={filters} />
      <Panel title={`Webhooks received by inbox ${name}`} flush>
        <Paged
          {...{ route, page, noun: 'message', empty: <EmptyInbox url={url} /> }}
          show={(rows) => <Messages rows={rows} />}
        />
      </Panel>
    </>
  )
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
    credentials.filter(({ postback_url }) => postback_url !== url).map(({ client_id }) => ({ username, client_id })),
  )
  if (otherCredentials.length === 0) return null
  return (
    <div class="row">
      {otherCredentials.map(({ username, client_id }) => (
        <Button
          key={client_id}
          title={client_id}
          onClick={() =>
            attempt(
              () => patchCredential(client_id, { postback_url: url }),
              `The webhooks of ${username} are sent to this inbox`,
            )
          }
        >
          Send the webhooks of {username} here
        </Button>
      ))}
    </div>
  )
}

function askResponses(name: string): void {
  openForm<{ responses?: string }>({
    title: 'Configure responses',
    text: 'The responses to the next webhooks, in order. The last one repeats.',
    fields: [
      {
        name: 'responses',
        label: 'Status codes',
        hint: 'Statuses of the next responses, such as 500 503@2s 200. The time after @ delays the response.',
        value: '500 200',
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
