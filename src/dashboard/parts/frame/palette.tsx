/** The palette, which finds objects and runs commands, and the help on tasks and keyboard shortcuts. */
import { type Child, useRef } from 'hono/jsx/dom'
import type { SearchHit } from '../../../client/types/control.js'
import { call } from '../../api.js'
import { eventName, kindName, readableAmount, statusName } from '../../format.js'
import { t } from '../../language.js'
import { actions, attempt } from '../../store/commands.js'
import { createValue, typedIn, useEffect, useLayoutEffect, useState, useValue } from '../../store/hooks.js'
import { type Entry, entriesFor, type PaletteTables } from '../../store/palette.js'
import { go, link, onLeave } from '../../store/route.js'
import { isHelpOpen, type Place, type Shortcut } from '../../store/shortcuts.js'
import { Icon, IconButton } from '../forms/controls.js'
import { besideList } from '../list-view.js'
import { ShortId } from '../table.js'
import { WrappedText } from '../text.js'

const open = createValue(false)

/** Opens synchronously, so that the first typed letters are not lost: the dialog always exists. */
export function showPalette(): void {
  const dialog = document.getElementById('palette')
  if (dialog instanceof HTMLDialogElement && !dialog.open) dialog.showModal()
  open.set(true)
}

export const SearchButton = () => (
  <button type="button" class="button search-button" aria-keyshortcuts="/ Control+K" onClick={showPalette}>
    <Icon name="search" />
    <span>
      Search<span class="search-hint"> payers, references, ids and commands</span>
    </span>{' '}
    <kbd>/</kbd>
  </button>
)

const hrefs: Record<SearchHit['kind'], string> = {
  transaction: 'transactions',
  dispute: 'disputes',
  wallet: 'wallets',
  webhook: 'webhooks',
}

function entryOf(hit: SearchHit, typed: string): Entry {
  const amount = hit.amount === null ? '' : `${readableAmount(hit.amount)} ${hit.currency ?? ''}`
  const matched = ['id', 'event', 'external_id'].includes(hit.matched) ? '' : hit.value
  return {
    key: `${hit.kind} ${hit.id}`,
    group: 'Found',
    title: [
      hit.kind === 'webhook' ? eventName(hit.title) : kindName(hit.title),
      amount,
      statusName(hit.status ?? '', hit.kind === 'webhook' ? hit.kind : hit.title),
    ]
      .filter((word) => word !== '')
      .join(' · '),
    note: [matched, hit.external_id ?? ''].filter((word) => word !== '').join(' · '),
    id: hit.id,
    isExact: [hit.id, hit.external_id, hit.value].some((own) => own?.toLowerCase() === typed.toLowerCase()),
    run: () => go(link(hrefs[hit.kind], hit.id)),
  }
}

interface SearchResult {
  hits: readonly SearchHit[]
  /** The query of these results. */
  asked: string
  error: string | null
}

/** Searches when the typing pauses. A response to earlier words is not shown. */
function useHits(typed: string): SearchResult {
  const [found, setFound] = useState<SearchResult>({ hits: [], asked: '', error: null })
  useLayoutEffect(() => {
    const q = typed.trim()
    const stop = new AbortController()
    const timer = setTimeout(() => {
      if (q.length < 2) return setFound({ hits: [], asked: q, error: null })
      call('GET /search', { query: { q }, signal: stop.signal }).then(
        ({ data }) => setFound({ hits: data, asked: q, error: null }),
        (error: Error) => stop.signal.aborted || setFound({ hits: [], asked: q, error: error.message }),
      )
    }, 120)
    return () => {
      clearTimeout(timer)
      stop.abort()
    }
  }, [typed])
  return found
}

const noTables: Omit<PaletteTables, 'places'> = {
  ...{ scenarios: [], actions: [], snapshots: [], workspaces: [], accounts: [], disputes: [] },
}

/** Read each time the palette opens. What cannot be read is missing from the palette. */
function useTables(wanted: boolean): Omit<PaletteTables, 'places'> {
  const [tables, setTables] = useState(noTables)
  useEffect(() => {
    if (!wanted) return
    const read = <Name extends keyof typeof noTables>(name: Name, rows: Promise<(typeof noTables)[Name]>) =>
      rows.then(
        (data) => setTables((before) => ({ ...before, [name]: data })),
        () => undefined,
      )
    void read('actions', actions())
    const dataOf = <Row,>(page: Promise<{ data: Row[] }>) => page.then(({ data }) => data)
    void read('scenarios', dataOf(call('GET /scenarios')))
    void read('snapshots', dataOf(call('GET /snapshots')))
    void read('workspaces', dataOf(call('GET /workspaces')))
    void read('accounts', dataOf(call('GET /accounts')))
    void read('disputes', dataOf(call('GET /disputes', { query: { status: 'open', limit: 20 } })))
  }, [wanted])
  return tables
}

const keysHelp = 'Arrows to choose, Enter to open, Esc to leave; ? on the page shows all shortcuts'

export const Palette = ({ places }: { places: readonly Place[] }) => {
  const isOpen = useValue(open)
  const element = useRef<HTMLDialogElement>(null)
  const [typed, setTyped] = useState('')
  const [chosen, setChosen] = useState(0)
  const { hits, asked, error } = useHits(typed)
  const tables = useTables(isOpen)
  const found = hits.map((hit) => entryOf(hit, typed.trim()))
  const entries = isOpen ? entriesFor(typed, found, { ...tables, places }) : []
  const at = Math.min(chosen, entries.length - 1)
  /** Enter was pressed before anything was found: the first result is opened when it is there. */
  const hasEntered = useRef(false)
  const type = (text: string) => {
    setTyped(text)
    setChosen(0)
    hasEntered.current = false
  }
  const close = () => {
    element.current?.close()
    open.set(false)
    type('')
  }
  useEffect(() => onLeave(close), [])
  // The browser reports the closing later, when the dialog may be open again.
  const onClosed = () => {
    if (element.current?.open !== true) close()
  }
  const run = (entry: Entry | undefined) => {
    if (entry === undefined) return
    close()
    entry.run()
  }
  useEffect(() => {
    if (hasEntered.current === true && asked === typed.trim()) run(entries[0])
  }, [asked, entries.length])
  const keys = (event: KeyboardEvent) => {
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0) setChosen((at + step + entries.length) % Math.max(1, entries.length))
    else if (event.key === 'Enter') {
      hasEntered.current = entries.length === 0
      run(entries[at])
    } else return
    event.preventDefault()
  }
  return (
    <dialog ref={element} id="palette" class="palette" aria-label="Search everything" onClose={onClosed}>
      <SearchField
        typed={typed}
        active={entries.length === 0 ? undefined : `palette-${at}`}
        {...{ type, keys, close }}
      />
      <EntryList entries={entries} chosen={at} run={run} />
      <p class="palette-foot" role="status">
        {error ??
          (entries.length === 0 && asked === typed.trim() ? 'Nothing found' : <span class="keys">{keysHelp}</span>)}
      </p>
    </dialog>
  )
}

interface SearchFieldProps {
  typed: string
  /** The id of the entry that Enter selects. */
  active: string | undefined
  type: (text: string) => void
  keys: (event: KeyboardEvent) => void
  close: () => void
}

const SearchField = ({ typed, active, type, keys, close }: SearchFieldProps) => (
  <div class="palette-head">
    <Icon name="search" />
    <input
      type="text"
      value={typed}
      role="combobox"
      aria-label="Search, or type a command"
      aria-expanded="true"
      aria-controls="palette-list"
      aria-activedescendant={active}
      placeholder="Payer, reference, id or command"
      autocomplete="off"
      spellcheck={false}
      onInput={(event: Event) => type(typedIn(event))}
      onKeyDown={keys}
    />
    <IconButton icon="close" accessibleName="Close" onClick={close} />
  </div>
)

interface EntryListProps {
  entries: readonly Entry[]
  chosen: number
  run: (entry: Entry) => void
}

const EntryList = ({ entries, chosen, run }: EntryListProps) => (
  <div id="palette-list" class="palette-list" role="listbox" aria-label="Found">
    {entries.map((entry, index) => (
      // biome-ignore lint/a11y/useKeyWithClickEvents: the field listens to the keys
      // biome-ignore lint/a11y/useFocusableInteractive: the field keeps the focus
      <div
        key={entry.key}
        id={`palette-${index}`}
        role="option"
        aria-selected={index === chosen ? 'true' : 'false'}
        onClick={() => run(entry)}
      >
        <span class="palette-group">{entry.group === entries[index - 1]?.group ? null : entry.group}</span>
        <span class="palette-text">
          <span class="palette-title">{entry.title}</span>
          <span class="faint small">
            {entry.note === undefined || entry.note === '' ? null : (
              <>
                <WrappedText>{entry.note}</WrappedText>
                {entry.id === undefined ? '' : ' · '}
              </>
            )}
            {entry.id === undefined ? null : <ShortId id={entry.id} />}
          </span>
        </span>
        {entry.keys === undefined ? null : <Keys keys={entry.keys} />}
      </div>
    ))}
  </div>
)

const close = () => isHelpOpen.set(false)

interface HelpProps {
  shortcuts: readonly Shortcut[]
  places: readonly Place[]
}

export const Help = (props: HelpProps) => (useValue(isHelpOpen) ? <HelpDialog {...props} /> : null)

const HelpDialog = ({ shortcuts, places }: HelpProps) => {
  const element = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    element.current?.showModal()
    return onLeave(close)
  }, [])
  return (
    <dialog ref={element} class="help" aria-labelledby="help-title" onClose={close}>
      <div class="dialog-head">
        <h2 id="help-title">Help</h2>
        <IconButton icon="close" accessibleName="Close" onClick={close} />
      </div>
      <div class="help-groups">
        {(['Everywhere', 'In a list', 'Go to'] as const).map((group) => (
          <section key={group}>
            <h3>{group}</h3>
            <dl>
              {shortcuts
                .filter((one) => one.group === group)
                .map(({ keys, also, title }) => (
                  <div key={keys}>
                    <dt>{title}</dt>
                    <dd>
                      <Keys keys={keys} />{' '}
                      {also === undefined ? null : (
                        <>
                          <span class="faint small">or</span> <Keys keys={also} />
                        </>
                      )}
                    </dd>
                  </div>
                ))}
            </dl>
          </section>
        ))}
      </div>
      <Tasks menu={places.map(({ label }) => label)} />
    </dialog>
  )
}

/** The table of the tasks is loaded when it is needed. */
const Tasks = ({ menu }: { menu: readonly string[] }) => {
  const [{ tasks, inWords, clicksIn }, setTable] = useState<typeof import('./tasks.js')>({
    tasks: [],
    inWords: String,
    clicksIn: () => [],
  })
  const hidden = document.querySelector('.menu-button')?.checkVisibility() === true ? menu : []
  useEffect(() => void attempt(() => import('./tasks.js').then(setTable)), [])
  return (
    <section class="help-tasks">
      <h3>Frequent tasks, from the overview</h3>
      <dl>
        {tasks.map((task) => (
          <div key={task.title}>
            <dt>{task.title}</dt>
            <Steps of={task.keys.map((key) => (isTyped(key) ? inWords(key, t) : <Keys keys={key} />))} by=" " />
            <Steps of={clicksIn(task, hidden, besideList.matches).map((name) => inWords(name, t))} by=" › " />
          </div>
        ))}
      </dl>
    </section>
  )
}

const isTyped = (step: string) => step.startsWith('“')

const Steps = ({ of: steps, by }: { of: readonly Child[]; by: string }) => (
  <dd>
    {steps.map((step, at) => (
      <>
        {at === 0 ? null : by}
        {step}
      </>
    ))}
  </dd>
)

/** `g t` are two keys, and `Control+k` is one chord. */
export const Keys = ({ keys }: { keys: string }) => (
  <span class="keys">
    {keys.split(' ').map((key) => (
      <kbd key={key}>{key.replace(/^Control\+(.)/, (_, letter: string) => `Ctrl+${letter.toUpperCase()}`)}</kbd>
    ))}
  </span>
)
