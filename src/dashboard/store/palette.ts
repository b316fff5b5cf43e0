/** Everything that the page can do, as entries of the command palette: most come from tables that the page has anyway. */
import type { Account, Dispute, ScenarioSummary, Snapshot, WorkspaceAddress } from '../../client/types/control.js'
import { chaosPresetNames, chaosPresets } from '../../protocol/settings/chaos.js'
import { call } from '../api.js'
import { sentence } from '../format.js'
import { Both, both, t } from '../language.js'
import { accountForms, openCredentialForm, openNewAccountForm } from '../parts/forms/account-commands.js'
import { askArm, askRun, disarm, isArmable, titleOf } from '../parts/forms/scenario-commands.js'
import {
  askReset,
  askRestore,
  askSeed,
  askSnapshot,
  askWorkspace,
  enterWorkspace,
} from '../parts/forms/snapshot-commands.js'
import { setTheme, themeNames, themes } from '../parts/frame/sidebar.js'
import { type Action, attempt, send, triggerOnNew, undoLast, undoSnapshotName } from './commands.js'
import { kindNames, kindOf } from './creation.js'
import { openForm } from './form.js'
import { clock, openClock } from './query.js'
import { redeliver, toRedeliver } from './redelivery.js'
import { go, link } from './route.js'
import { isHelpOpen, type Place } from './shortcuts.js'
import { fieldsOfAction, taskText } from './steps.js'

export interface Entry {
  key: string
  group: string
  title: string
  english?: string
  note?: string
  /** The id of a found object. */
  id?: string
  /** A found object whose id, reference or value is what was typed. */
  isExact?: boolean
  /** Its keyboard shortcut. */
  keys?: string
  run: () => unknown
}

export interface PaletteTables {
  places: readonly Place[]
  scenarios: readonly ScenarioSummary[]
  actions: readonly Action[]
  snapshots: readonly Snapshot[]
  workspaces: readonly WorkspaceAddress[]
  accounts: readonly Account[]
  disputes: readonly Dispute[]
}

/** Found by the words of the page's language, and by the English ones; `key` is what it is found by besides. */
function entry(
  group: string,
  text: string | Both,
  run: () => unknown,
  { key = '', note = '', ...more }: Partial<Entry> = {},
): Entry {
  const { own: title, english } = text instanceof Both ? text : both(text)
  return { key: [group, english, note, key].join(' '), group: t(group), title, english, note: t(note), run, ...more }
}
const opening = (group: string, title: string | Both, href: string, more: Partial<Entry> = {}): Entry =>
  entry(group, title, () => go(href), more)

/** Parses `advance 7 days` or `advance 10m` to a duration of the API, or null. */
function durationIn(words: string): string | null {
  const [, count, unit = 'm'] = /^(?:advance|\+)\s*(\d{1,6})\s*([a-z]*)$/.exec(words) ?? []
  const letter = unit === '' ? 'm' : unit.charAt(0)
  return count === undefined || !'smhd'.includes(letter) ? null : `${count}${letter}`
}

const advances: readonly (readonly [words: string, by: string])[] = [
  ['1 minute', '1m'],
  ['1 hour', '1h'],
  ['1 day', '1d'],
  ['1 week', '7d'],
]

/** Opens the clock's control, which shows what will happen. */
const advancing = (title: string | Both, choice: string, typed = '', more: Partial<Entry> = {}) =>
  entry('Clock', title, () => openClock({ choice, typed }), more)

/** Opens an object by its complete id, for kinds that the search does not cover. */
const openById = (id: string): Entry[] =>
  Object.entries({ req_: 'requests', run_: 'runs' }).flatMap(([prefix, view]) =>
    id.startsWith(prefix) ? [opening('Go to', both`Open ${id}`, link(view, id))] : [],
  )

/** What can be pressed on the page behind the palette, by its accessible name or its first line. */
function pageEntries(): Entry[] {
  const controls = document.querySelectorAll<HTMLElement>('main :is(button, a.button, a.chip, a.tile, summary)')
  const visible = [...controls].filter((control) => control.checkVisibility())
  const named = visible.map((control) => {
    // biome-ignore lint/performance/useDomNodeTextContent: it has the lines of a tile
    const [title = '', ...rest] = (control.ariaLabel ?? control.innerText)
      .split('\n')
      .filter((line) => line.trim() !== '')
    return [title, entry('This page', title, () => control.click(), { note: rest.join(' · ') })] as const
  })
  return [...new Map(named.toReversed()).values()].filter(({ title }) => title !== '').reverse()
}

const clockEntries = (): Entry[] => {
  const [title, mode] =
    clock.get()?.mode === 'manual'
      ? (['Resume the clock', 'realtime'] as const)
      : (['Freeze the clock', 'manual'] as const)
  return [
    entry('Clock', title, () => attempt(() => send('PUT /clock', { body: { mode } }))),
    entry('Clock', 'Clock controls', () => openClock(), { keys: 'g k' }),
    ...advances.map(([words, by]) => advancing(both`Advance the clock by ${both(words)}`, by)),
    advancing('Advance the clock until idle: run all jobs', 'idle'),
  ]
}

const scenarioEntries = (scenario: ScenarioSummary): Entry[] => {
  const { name, armed } = scenario
  const found = { note: titleOf(scenario), key: scenario.title }
  return [
    entry('Scenarios', both`Run ${name}`, () => askRun(scenario), found),
    ...(armed.length > 0 ? [entry('Scenarios', both`Disarm ${name}`, () => disarm(scenario), found)] : []),
    ...(isArmable(scenario) ? [entry('Scenarios', both`Arm ${name}`, () => askArm(scenario), found)] : []),
  ]
}

async function redeliverFailed(): Promise<void> {
  const { data } = await call('GET /webhooks', { query: { ...toRedeliver, limit: 500 } })
  const sendable = data.filter(({ url }) => url !== null).toReversed()
  await redeliver(sendable.map(({ id }) => id))
}

const stateEntries = ({ snapshots, workspaces }: PaletteTables): Entry[] => [
  ...(snapshots.some(({ name }) => name === undoSnapshotName)
    ? [entry('Sandbox', 'Undo the last reset, restore or run', () => attempt(undoLast))]
    : []),
  entry('Sandbox', 'Seed sample data', askSeed),
  entry('Sandbox', 'Save a snapshot', askSnapshot),
  entry('Sandbox', 'Reset the workspace', askReset),
  ...snapshots.map(({ name }) => entry('Sandbox', both`Restore ${name}`, () => askRestore(name), { note: 'Snapshot' })),
  entry('Sandbox', 'New workspace', askWorkspace),
  ...workspaces.map(({ name }) => entry('Sandbox', both`Open the workspace ${name}`, () => enterWorkspace(name))),
  ...chaosPresetNames.map((name) =>
    entry('Sandbox', both`Chaos ${new Both(sentence(name).toLowerCase(), name)}`, () =>
      attempt(() => send('PUT /chaos', { body: chaosPresets[name] })),
    ),
  ),
]

const disputeEntry = ({ deadline_at: to, amount, currency, infraction_id: id }: Dispute): Entry =>
  advancing(both`Advance to the deadline of the dispute over ${amount} ${currency}`, 'to', to.replace('Z', ''), {
    ...{ key: id, id },
  })

const accountEntries = (account: Account): Entry[] => [
  opening('Accounts', both`Statement of ${account.username}`, link('accounts', account.username)),
  ...accountForms.map(([label, ask]) =>
    entry('Accounts', both`${both(label)} of ${account.username}`, () => ask(account)),
  ),
  ...account.credentials.flatMap((credential) => {
    const { client_id: id } = credential
    const note = Object.keys(credential).join(', ')
    return [
      opening('Accounts', both`Credential ${id} of ${account.username}`, link('accounts'), { note }),
      entry('Accounts', both`Edit credential ${id} of ${account.username}`, () => openCredentialForm(credential), {
        note,
      }),
    ]
  }),
]

/** An action with its parameters, on an object that is created for it. */
const actionEntry = (action: Action): Entry => {
  const { name, title } = action
  return entry(
    'Actions',
    both`${name} on a new object`,
    () =>
      openForm<Record<string, unknown>>({
        ...{ title: taskText(name), text: 'A suitable object is created first.', submit: 'Create and trigger' },
        fields: fieldsOfAction(action),
        run: (values) => triggerOnNew(name, values),
      }),
    { note: title },
  )
}

const commands = (tables: PaletteTables): Entry[] => [
  ...kindNames.map((name) =>
    opening('Create', kindOf(name).title, link('new', name), name === 'charge' ? { keys: 'c' } : {}),
  ),
  ...tables.places.map(({ path, label, key }) => opening('Go to', label, link(path), { key: path, keys: `g ${key}` })),
  ...clockEntries(),
  ...tables.disputes.map(disputeEntry),
  ...stateEntries(tables),
  entry('Webhooks', 'Redeliver all failed webhooks', () => attempt(redeliverFailed)),
  ...tables.scenarios.flatMap(scenarioEntries),
  ...tables.accounts.flatMap(accountEntries),
  entry('Accounts', 'New account', openNewAccountForm),
  ...tables.actions.map(actionEntry),
  ...themes.map((name) => entry('View', themeNames[name], () => setTheme(name))),
  entry('View', 'Keyboard shortcuts and frequent tasks', () => isHelpOpen.set(true), { keys: '?' }),
]

const shownEntries = 40

const wordsOf = (text: string) => text.toLowerCase().split(/[^\p{L}\p{N}]+/u)

/** Best first: this title, one with exactly these words, one whose words begin so, found objects, the rest. */
const foundRank = 3

function rankOf(title: string, words: string): number {
  const own = wordsOf(title)
  const asked = wordsOf(words)
  if (title.toLowerCase() === words) return 0
  if (asked.every((word) => own.includes(word))) return 1
  if (asked.every((word) => own.some((one) => one.startsWith(word)))) return 2
  return asked.every((word) => title.toLowerCase().includes(word)) ? foundRank + 1 : foundRank + 2
}

/** `compare` finds "Comparison", too. */
const beginningOf = (word: string) => word.slice(0, Math.max(5, word.length - 1))

/** Entries that fit the typed words, the best first: an object with exactly this id or reference, then by rank. */
export function entriesFor(typed: string, hits: readonly Entry[], tables: PaletteTables): Entry[] {
  const words = typed.trim().toLowerCase()
  if (words === '') return commands(tables).slice(0, shownEntries)
  const by = durationIn(words)
  const matching = [...pageEntries(), ...commands(tables)].filter(({ key, title, note = '', group }) =>
    words.split(/\s+/).every((word) => `${key} ${title} ${note} ${group}`.toLowerCase().includes(beginningOf(word))),
  )
  const ranked = [
    ...hits.map((entry) => ({ entry, rank: entry.isExact === true ? -1 : foundRank })),
    ...matching.map((entry) => ({
      entry,
      rank: Math.min(rankOf(entry.title, words), rankOf(entry.english ?? '', words)),
    })),
  ].sort((one, other) => one.rank - other.rank)
  return [
    ...openById(typed.trim()),
    ...(by === null ? [] : [advancing(both`Advance the clock by ${by}`, 'by', by)]),
    ...ranked.map(({ entry }) => entry),
  ].slice(0, shownEntries)
}
